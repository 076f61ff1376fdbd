package dev.verbena.arrow;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.DefaultAllocationManagerOption;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.TensorArena;

/**
 * Runs the tests that the Arrow project has published, in a process whose allocators have memory of an arena, or Arrow's own, unless they say
 * otherwise.
 *
 * <pre>
 *   arena|own JAR RESULTS    writes how much of the arena was in use at a time, and a line for each test: PASSED or FAILED, and its name
 * </pre>
 */
final class PublishedTestsProcess {
    static final String PASSED = "PASSED ";
    static final String FAILED = "FAILED ";
    private static final long MIB = 1 << 20;

    private PublishedTestsProcess() {}

    public static void main(String[] arguments) throws Exception {
        TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 16 * MIB, 4096 * MIB);
        if (arguments[0].equals("arena")) {
            useFor(VerbenaAllocationManager.factory(arena));
        }
        Set<String> results = run(Path.of(arguments[1]));
        Files.write(Path.of(arguments[2]), Stream
                .concat(Stream.of("" + arena.statistics().livePeakByteSize()), results.stream()).toList());
        System.exit(0); // Some tests leave threads behind.
    }

    /** Allocators whose configuration names no factory have this one: Arrow's property knows no other than its own. */
    private static void useFor(AllocationManager.Factory factory) throws ReflectiveOperationException {
        Field ofAll = DefaultAllocationManagerOption.class.getDeclaredField("DEFAULT_ALLOCATION_MANAGER_FACTORY");
        ofAll.setAccessible(true);
        ofAll.set(null, factory);
    }

    private static Set<String> run(Path jar) throws IOException {
        Set<String> results = Collections.synchronizedSet(new TreeSet<>());
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClasspathRoots(Set.of(jar))).build();
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                boolean isFailed = result.getStatus() == Status.FAILED;
                if (test.isTest() || isFailed) {
                    results.add((isFailed ? FAILED : PASSED) + test.getUniqueId());
                }
            }
        });
        return results;
    }
}
