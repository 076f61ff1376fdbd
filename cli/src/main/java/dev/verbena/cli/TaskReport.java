package dev.verbena.cli;

import dev.verbena.training.TrainingResult;

/**
 * How one task ended, as it travels from the task to the launcher.
 *
 * @param residentPeakByteSize the most physical memory the process ever had
 */
record TaskReport(TrainingResult result, long pid, long residentPeakByteSize) {
    /** Of this very process. */
    static TaskReport of(TrainingResult result) {
        return new TaskReport(result, ProcessHandle.current().pid(), ResidentMemory.peakByteSize());
    }
}
