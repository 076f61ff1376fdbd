package dev.verbena.benchmarks.transfer;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * Puts that nobody answers, by UCX's C tool and by ours, in turn in each round. Both say the same: see {@link Put}.
 *
 * <p><b>Owner:</b> {@link TransferBenchmark}. <b>Threading:</b> confined to its thread; processes of their own put.
 */
final class RawPuts {
    private final boolean isQuick;
    private final Consumer<String> progress;
    private final PutMeter ucx;
    private final PutMeter verbena;

    RawPuts(boolean isQuick, Consumer<String> progress) {
        this(isQuick, progress, new UcxPerftest(), new VerbenaPerf());
    }

    RawPuts(boolean isQuick, Consumer<String> progress, PutMeter ucx, PutMeter verbena) {
        this.isQuick = isQuick;
        this.progress = progress;
        this.ucx = ucx;
        this.verbena = verbena;
    }

    /** What cannot be measured here ends it, and the figures say why. */
    RawPutFigures run(int rounds) throws InterruptedException {
        RawPutFigures figures = new RawPutFigures();
        try {
            for (int round = 0; round < rounds; round++) {
                progress.accept("raw puts: round " + (round + 1) + " of " + rounds);
                for (Put put : Put.ALL) {
                    measure(put, round % 2 == 0, figures);
                }
            }
        } catch (IOException | IllegalStateException e) {
            progress.accept(figures.leaveOut(e.getMessage()));
        }
        return figures;
    }

    private void measure(Put put, boolean isUcxFirst, RawPutFigures figures) throws IOException, InterruptedException {
        double first = (isUcxFirst ? ucx : verbena).measure(put, isQuick);
        double second = (isUcxFirst ? verbena : ucx).measure(put, isQuick);
        figures.add(put, isUcxFirst ? first : second, isUcxFirst ? second : first);
    }
}
