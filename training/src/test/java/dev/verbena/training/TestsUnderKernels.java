package dev.verbena.training;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import dev.verbena.training.blas.BlasTest;
import dev.verbena.training.blas.OpenBlasLibrary;
import dev.verbena.training.operation.KernelTest;
import dev.verbena.training.operation.MatMulProperties;
import dev.verbena.training.operation.image.ImageKernelProperties;
import dev.verbena.training.operation.image.ImageKernelTest;

/**
 * A program that runs the tests of all that multiplies, and says which kernels OpenBLAS took and the losses that they led
 * to. Status 1 if a test fails.
 */
final class TestsUnderKernels {
    static final String CORE = "core=";
    static final String LOSSES = "losses=";
    private static final List<Class<?>> TESTS = List.of(BlasTest.class, KernelTest.class, ImageKernelTest.class,
            ImageKernelProperties.class, MatMulProperties.class, NetworkGradientTest.class, TrainingGraphTest.class,
            TrainingTest.class);

    private TestsUnderKernels() {}

    public static void main(String[] arguments) throws Throwable {
        TestExecutionSummary summary = run();
        System.out.println(CORE + core());
        System.out.println(
                LOSSES + Arrays.stream(losses()).mapToObj(Double::toString).collect(Collectors.joining(" ")));
        System.exit(summary.getTotalFailureCount() == 0 && summary.getTestsSucceededCount() > TESTS.size() ? 0 : 1);
    }

    private static TestExecutionSummary run() {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(TESTS.stream().map(test -> (DiscoverySelector) selectClass(test)).toList()).build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        listener.getSummary().printFailuresTo(new PrintWriter(System.out, true));
        return listener.getSummary();
    }

    /** {@code char *openblas_get_corename(void)} */
    private static String core() throws Throwable {
        MemorySegment function = OpenBlasLibrary.load().find("openblas_get_corename").orElseThrow();
        MemorySegment name = (MemorySegment) Linker.nativeLinker()
                .downcallHandle(function, FunctionDescriptor.of(ADDRESS)).invokeExact();
        return name.reinterpret(100).getString(0);
    }

    /** Of a short training in one process. */
    static double[] losses() {
        return Training.local(new TrainingOptions("mlp", 1, 1, 40, 32, 3, .4f, false), Dataset.synthetic(3),
                (_, _, _) -> {}).lossCurve();
    }
}
