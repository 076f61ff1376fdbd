package dev.verbena.graph.partition;

import java.util.OptionalLong;

import dev.verbena.graph.onnx.TensorFacts;

/**
 * What is known of a tensor that crosses, and how it does.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param byteSize of the tensor, which each part that takes it is sent; empty if it is not known before the run
 * @param reason for the protocol; half a sentence
 */
public record CrossingFigures(Crossing crossing, TensorFacts facts, CrossingProtocol protocol, OptionalLong byteSize,
        String reason) {}
