"""Adam on one vector: its whole state is two more vectors and a counter, which makes checkpoints simple."""

import math

import torch
from torch import Tensor

_BETA_1, _BETA_2 = 0.9, 0.999
_EPSILON = 1e-5
"""Source: Huang et al. 2022, "The 37 implementation details of proximal policy optimization", detail 3."""


class Adam:
    """Adaptive moment estimation, with bias correction.

    Attributes:
        parameters: float32 (P,), what is optimised.
        first_moment, second_moment: float32 (P,), running means of the gradient and of its square.
        steps: how many steps were taken.

    Source: Kingma and Ba 2015, "Adam: a method for stochastic optimization", algorithm 1.
    """

    def __init__(self, parameters: Tensor) -> None:
        self.parameters = parameters
        self.first_moment = torch.zeros_like(parameters)
        self.second_moment = torch.zeros_like(parameters)
        self.steps = 0

    def step(self, gradient: Tensor, learning_rate: float) -> None:
        """Move the parameters against a gradient (P,)."""
        self.steps += 1
        self.first_moment.lerp_(gradient, 1.0 - _BETA_1)
        self.second_moment.mul_(_BETA_2).addcmul_(gradient, gradient, value=1.0 - _BETA_2)
        scale = math.sqrt(1.0 - _BETA_2**self.steps)
        denominator = self.second_moment.sqrt().div_(scale).add_(_EPSILON)
        self.parameters.addcdiv_(self.first_moment, denominator, value=-learning_rate / (1.0 - _BETA_1**self.steps))
