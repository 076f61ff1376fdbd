/**
 * Tensors by name and step: messages over static placement, small tensors in them, large ones read when they are asked for. Users see
 * {@code TensorExchange} and its ends of the package above.
 */
package dev.verbena.transfer.exchange;
