package dev.verbena.benchmarks;

import java.util.List;
import java.util.Locale;

import dev.verbena.benchmarks.Figures.Key;

/**
 * Pairs of free and allocate by threads that share an allocator: a row for each, a column for each number of threads.
 *
 * <p><b>Owner:</b> {@link Report}. <b>Threading:</b> confined to its owner.
 */
final class ThreadTable {
    static final List<String> SUBJECTS = List.of(Targets.ADDRESS, Targets.MIMALLOC_C,
            Subject.NETTY_POOLED.label, Subject.NETTY_ADAPTIVE.label);
    private static final int LABEL_WIDTH = -40;
    private static final int COLUMN_WIDTH = 9;

    private final Figures figures;
    private final int processors;
    private final int[] sizes;

    ThreadTable(Figures figures, int processors) {
        this.figures = figures;
        this.processors = processors;
        sizes = Crowd.sizes(processors);
    }

    String text() {
        StringBuilder text = new StringBuilder(
                "\nMillion pairs of free and allocate a second, threads that share an allocator\n");
        for (Replacement replacement : List.of(Replacement.SMALL, Replacement.LARGE)) {
            cell(text, LABEL_WIDTH, replacement.label + ", " + replacement.byteSizes);
            for (int threads : sizes) {
                cell(text, COLUMN_WIDTH, Integer.toString(threads));
            }
            text.append('\n');
            SUBJECTS.forEach(subject -> row(text, replacement, subject, sizes));
        }
        if (processors < Crowd.THREADS_MANY) {
            cell(text, LABEL_WIDTH, Replacement.LARGE_OF_MANY.byteSizes);
            cell(text, COLUMN_WIDTH, Integer.toString(processors));
            text.append('\n');
            SUBJECTS.forEach(subject -> row(text, Replacement.LARGE_OF_MANY, subject, new int[]{processors}));
        }
        return text.toString();
    }

    private void row(StringBuilder text, Replacement replacement, String subject, int[] sizes) {
        cell(text, LABEL_WIDTH, subject);
        for (int threads : sizes) {
            double value = figures.median(new Key(Measure.THREADS, new Crowd(replacement, threads).label(), subject));
            cell(text, COLUMN_WIDTH, Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.2f", value));
        }
        text.append('\n');
    }

    private static void cell(StringBuilder text, int width, String value) {
        text.append(String.format(Locale.ROOT, "%" + width + "s", value));
    }
}
