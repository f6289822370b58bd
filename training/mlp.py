"""Multilayer perceptrons with a backward pass of their own, for networks so small that memory traffic decides their speed.

Autograd allocates every intermediate result anew; with 64 units and thousands of rows that costs as much as the arithmetic.
Here each result has its place in a `Workspace`, and all weights are views of one vector, so that the optimizer, the clipping of
the gradient and a checkpoint deal with one array. The tests hold the gradients to those of autograd.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from training.config import Activation

_HIDDEN_GAIN = math.sqrt(2.0)


class Workspace:
    """Room for one pass of up to `rows` inputs through a network. Threads that use the same network have one each.

    Attributes:
        results: float32 (rows, size) for each layer: after the activation; the last one's are the outputs.
        gradients: float32 (rows, size) for each hidden layer.
        scratch: float32 (rows, size) for each hidden layer.
    """

    def __init__(self, sizes: Sequence[int], rows: int, *, backward: bool) -> None:
        """Make room; for the backward pass only if asked for."""
        hidden = sizes[1:-1] if backward else ()
        self.results = [torch.empty(rows, size) for size in sizes[1:]]
        self.gradients = [torch.empty(rows, size) for size in hidden]
        self.scratch = [torch.empty(rows, size) for size in hidden]


class Mlp:
    """A multilayer perceptron.

    Attributes:
        sizes: of the input, of each hidden layer, of the output.
        activation: after each hidden layer.
        parameters: float32 (P,), all weights and biases.
        gradient: float32 (P,), what the last `backward` found.
        layers: (weight (in, out), bias (out,)) of each layer, views of `parameters`.
    """

    def __init__(self, sizes: Sequence[int], activation: Activation, output_gain: float, generator: torch.Generator) -> None:
        """Orthogonal weights and zero biases.

        Args:
            sizes: of the input, of each hidden layer, of the output.
            activation: after each hidden layer.
            output_gain: scale of the last layer's weights; sqrt(2) for the others.
            generator: source of the weights.

        Source: Huang et al. 2022, "The 37 implementation details of proximal policy optimization", detail 2.
        """
        self.sizes = tuple(sizes)
        self.activation: Activation = activation
        self.parameters = torch.zeros(sum((inputs + 1) * outputs for inputs, outputs in self._shapes()))
        self.gradient = torch.zeros_like(self.parameters)
        self.layers = self._views(self.parameters)
        self._layer_gradients = self._views(self.gradient)
        for layer, (weight, _) in enumerate(self.layers):
            gain = output_gain if layer == len(self.layers) - 1 else _HIDDEN_GAIN
            nn.init.orthogonal_(weight, gain, generator)

    def _shapes(self) -> list[tuple[int, int]]:
        return list(zip(self.sizes[:-1], self.sizes[1:], strict=True))

    def _views(self, flat: Tensor) -> list[tuple[Tensor, Tensor]]:
        views, at = [], 0
        for inputs, outputs in self._shapes():
            middle, end = at + inputs * outputs, at + (inputs + 1) * outputs
            views.append((flat[at:middle].view(inputs, outputs), flat[middle:end]))
            at = end
        return views

    def workspace(self, rows: int, *, backward: bool) -> Workspace:
        """Room for `rows` inputs."""
        return Workspace(self.sizes, rows, backward=backward)

    def forward(self, inputs: Tensor, workspace: Workspace) -> Tensor:
        """Outputs (N, out) for inputs (N, in): a part of the workspace, which the next pass overwrites."""
        flow = inputs
        for layer, (weight, bias) in enumerate(self.layers):
            result = workspace.results[layer][: len(inputs)]
            torch.addmm(bias, flow, weight, out=result)
            if layer < len(self.layers) - 1:
                self._activate(result)
            flow = result
        return flow

    def _activate(self, values: Tensor) -> None:
        if self.activation == "tanh":
            # NumPy's takes a sixth of the time of torch 2.13's on a CPU with AVX-512, and is what exported networks use.
            array = values.numpy()
            np.tanh(array, out=array)
        else:
            torch.relu_(values)

    def backward(self, inputs: Tensor, output_gradient: Tensor, workspace: Workspace) -> None:
        """Write into `gradient` how a loss changes with each parameter.

        Args:
            inputs: (N, in), those of the `forward` before, on the same workspace.
            output_gradient: (N, out), how the loss changes with each output.
            workspace: with room for gradients.
        """
        count, flow = len(inputs), output_gradient
        for layer in reversed(range(len(self.layers))):
            below = workspace.results[layer - 1][:count] if layer else inputs
            weight_gradient, bias_gradient = self._layer_gradients[layer]
            torch.mm(below.t(), flow, out=weight_gradient)
            torch.sum(flow, 0, out=bias_gradient)
            if layer:
                gradient = workspace.gradients[layer - 1][:count]
                torch.mm(flow, self.layers[layer][0].t(), out=gradient)
                self._multiply_by_slope(gradient, below, workspace.scratch[layer - 1][:count])
                flow = gradient

    def _multiply_by_slope(self, gradient: Tensor, results: Tensor, scratch: Tensor) -> None:
        """Chain rule through the activation, whose slope follows from its results: 1 - y**2 for tanh, 1 where y > 0 for ReLU."""
        if self.activation == "tanh":
            torch.mul(results, results, out=scratch).neg_().add_(1.0)
        else:
            torch.sign(results, out=scratch)
        gradient.mul_(scratch)
