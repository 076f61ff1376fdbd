package dev.verbena.testing.trace;

import java.util.List;

/**
 * What one operation of a model needs; bias and activation work in place and need nothing.
 *
 * @param byteSize of its output, kept until its backward pass
 * @param workspaceByteSize of memory it needs only while it runs, forward and backward; 0 if none
 * @param savedByteSizes of what the forward pass leaves for the backward pass besides the output
 * @param variables that it reads, each of which gets a gradient
 */
record Layer(long byteSize, long workspaceByteSize, List<Long> savedByteSizes, List<Value> variables) {
    static Layer of(long byteSize) {
        return new Layer(byteSize, 0, List.of(), List.of());
    }

    Layer withWorkspace(long workspaceByteSize) {
        return new Layer(byteSize, workspaceByteSize, savedByteSizes, variables);
    }

    Layer saving(Long... savedByteSizes) {
        return new Layer(byteSize, workspaceByteSize, List.of(savedByteSizes), variables);
    }

    Layer with(Value... variables) {
        return new Layer(byteSize, workspaceByteSize, savedByteSizes, List.of(variables));
    }
}
