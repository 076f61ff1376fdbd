package dev.verbena.training.data;

import java.util.function.Supplier;

/**
 * Pixels that are drawn when they are first asked for: who only plans, or keeps variables, needs none.
 *
 * <p><b>Owner:</b> the set of images. <b>Threading:</b> thread-safe.
 */
final class DrawnPixels implements Supplier<byte[]> {
    private final Supplier<byte[]> drawing;
    private byte[] pixels;

    DrawnPixels(Supplier<byte[]> drawing) {
        this.drawing = drawing;
    }

    @Override
    public synchronized byte[] get() {
        if (pixels == null) {
            pixels = drawing.get();
        }
        return pixels;
    }
}
