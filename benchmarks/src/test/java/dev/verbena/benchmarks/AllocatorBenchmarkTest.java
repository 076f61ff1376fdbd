package dev.verbena.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.benchmarks.report.ShownPage;
import dev.verbena.testing.trace.ShippedTrace;

/** A quick run from end to end, without what a machine may lack: mimalloc, and memory for Netty's large runs and for many threads'. */
@Timeout(600)
class AllocatorBenchmarkTest {
    private static final List<Subject> SUBJECTS = List.of(Subject.VERBENA_TENSOR, Subject.VERBENA_VIEW,
            Subject.VERBENA_ENDING_VIEW, Subject.NETTY_ADAPTIVE, Subject.CONFINED_ARENA);
    private static final String WITHOUT_THREADS = "pairs,hand-over,large-runs,pauses,regions";
    private static final Set<Part> OTHERS = EnumSet.of(Part.THREADS, Part.REFUSALS, Part.VIRTUAL);
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    private static final List<String> MEASURED = Stream
            .concat(SUBJECTS.stream().map(subject -> subject.label), Stream.of(Targets.ONE_TENSOR)).toList();

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final AllocatorBenchmark benchmark = new AllocatorBenchmark(
            new PrintStream(printed, true, StandardCharsets.UTF_8));

    @Test
    void aQuickRunReportsEveryTargetAndInventsNothing(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("report.json");
        Path page = folder.resolve("report.html");
        assertEquals(0, benchmark.run(new String[]{"--quick", "--json", file.toString(), "--report", page.toString(),
                "--parts", WITHOUT_THREADS}, null, SUBJECTS));
        ShownPage.assertNothingIsFetched(Files.readString(page));
        assertTrue(Files.readString(page).contains("<svg "), "plots");
        Map<String, Object> report = JSON.std.mapFrom(Files.readString(file));
        assertEquals(true, report.get("isQuick"));
        assertTrue(((Map<?, ?>) report.get("peers")).get("netty").toString().startsWith("4."), report::toString);
        List<?> targets = (List<?>) report.get("targets");
        assertEquals(Targets.all(PROCESSORS).stream().filter(target -> !OTHERS.contains(target.key().measure().part))
                .count(), targets.size());
        String explanations = report.get("explanations").toString();
        int regions = 0;
        for (Object each : targets) {
            Map<?, ?> target = (Map<?, ?>) each;
            String verdict = (String) target.get("verdict");
            boolean isMissing = !MEASURED.contains(target.get("subject"))
                    || target.get("against") instanceof String against && !MEASURED.contains(against);
            assertEquals(isMissing, verdict.equals("unmeasured"), target::toString);
            assertEquals(isMissing, target.get("value") == null, target::toString);
            if (target.get("measure").equals("region")) {
                regions++;
                assertTrue(List.of("met", "missed").contains(verdict), target::toString);
                assertTrue(((Number) target.get("value")).doubleValue() >= 1, target::toString);
                assertEquals(verdict.equals("missed"),
                        explanations.contains("workload=" + target.get("workload") + ","), explanations);
            } else {
                assertFalse(List.of("met", "missed").contains(verdict), target::toString);
            }
        }
        assertEquals(2 * ShippedTrace.values().length, regions);
        for (Object each : (List<?>) report.get("figures")) {
            Map<?, ?> figure = (Map<?, ?>) each;
            assertTrue(((Number) figure.get("median")).doubleValue() >= 0, figure::toString);
            assertEquals(1, ((List<?>) figure.get("rounds")).size());
        }
        assertTrue(output().contains("its times mean nothing"), this::output);
        assertTrue(output().contains("mimalloc is not measured: it needs"), this::output);
    }

    /** One arena for as many threads as the table has columns. */
    @Test
    void aPartIsMeasuredAlone() throws Exception {
        assertEquals(0, benchmark.run(new String[]{"--quick", "--parts", "threads"}, null,
                List.of(Subject.VERBENA_ADDRESS)));
        int columns = Crowd.sizes(PROCESSORS).length;
        assertEquals(2, output().lines().filter(line -> line.startsWith("verbena-address"))
                .filter(line -> line.matches("\\S+( +[0-9]+\\.[0-9]{2}){" + columns + "}")).count(), this::output);
        assertEquals(2, output().lines().filter(line -> line.matches("mimalloc-c( +-){" + columns + "}")).count(),
                this::output);
        assertEquals(PROCESSORS < Crowd.THREADS_MANY ? 1 : 0, output().lines()
                .filter(line -> line.matches("verbena-address +[0-9]+\\.[0-9]{2}")).count(), this::output);
        assertTrue(output().lines().noneMatch(line -> line.startsWith(Measure.PAIR.title)), this::output);
        assertEquals(PROCESSORS < Crowd.THREADS_MANY, output().contains("SteadyStateTest"), this::output);
    }

    /** Each target has its figures. */
    @Test
    void refusalsAreMeasured() throws Exception {
        assertEquals(0, benchmark.run(new String[]{"--quick", "--parts", "refusals"}, null,
                List.of(Subject.VERBENA_ADDRESS)));
        int asking = Companion.ASKING.size();
        assertEquals(asking * (1 + Companion.CROWDS.length), rowsOf(Measure.REFUSAL), this::output);
        assertEquals(asking * Companion.CROWDS.length, rowsOf(Measure.BESIDE_REFUSAL), this::output);
    }

    @Test
    void virtualThreadsAreMeasured() throws Exception {
        assertEquals(0, benchmark.run(new String[]{"--quick", "--parts", "virtual", "--carriers", "3"}, null,
                List.of(Subject.VERBENA_ADDRESS)));
        assertEquals(1, rowsOf(Measure.VIRTUAL), this::output);
    }

    private long rowsOf(Measure measure) {
        return output().lines().filter(
                line -> line.startsWith(measure.title) && !line.contains(Target.Verdict.UNMEASURED.word)).count();
    }

    @ParameterizedTest
    @CsvSource({"--fast, option '--fast' is unknown", "--rounds, --rounds needs a value",
            "--rounds 0, --rounds=0 must be a whole number",
            "--carriers x, --carriers=x must be a whole number",
            "--parts threads;all, --parts=threads;all must be some of pairs",
            "--json /no/such/folder/x, --json=/no/such/folder/x cannot be", "--report /, --report=/ is a folder",
            "--report /no/such/folder/x, --report=/no/such/folder/x cannot be written: there is no folder"})
    void wrongOptionsAreNamed(String arguments, String message) throws IOException, InterruptedException {
        assertEquals(2, benchmark.run(arguments.split(" "), null, SUBJECTS));
        assertTrue(output().startsWith("benchmarks: " + message), this::output);
    }

    private String output() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
