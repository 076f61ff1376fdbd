package dev.verbena.cli.perf;

import static dev.verbena.cli.BadInputException.requireRange;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.Candidates;
import dev.verbena.cli.FabricOption;
import dev.verbena.cli.NetworkArguments;
import dev.verbena.cli.ExitStatus;
import dev.verbena.cli.FailedRunException;
import dev.verbena.cli.JsonOutput;
import dev.verbena.cli.ProgressArguments;
import dev.verbena.cli.WaitNotices;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code verbena perf allreduce}: what an all-reduce takes, beside what copying the bytes would.
 *
 * <p><b>Owner:</b> the command line. <b>Threading:</b> confined to the command's thread.
 */
@Command(name = "allreduce", mixinStandardHelpOptions = true,
        description = "Measure all-reduces of a group: one process for each of the members, each with its rank.",
        footer = {"Two members on one machine:",
                "  verbena perf allreduce --members 127.0.0.1:7001,127.0.0.1:7002 --rank 0 &",
                "  verbena perf allreduce --members 127.0.0.1:7001,127.0.0.1:7002 --rank 1",
                "Before and after each size all elements are checked, and compared between the members."})
public final class AllReduceCommand implements Callable<Integer> {
    private static final List<ElementType> TYPES = List.of(ElementType.FLOAT64, ElementType.FLOAT32,
            ElementType.FLOAT16, ElementType.BFLOAT16, ElementType.INT32, ElementType.INT64);

    /** That can be reduced. */
    static final class Types extends Candidates {
        @Override
        protected List<String> words() {
            return TYPES.stream().map(AllReduceCommand::name).toList();
        }
    }

    private static final int ITERATIONS_MAX = 10_000_000;
    private static final int MEMBERS_MAX = 64;

    @Option(names = "--members", paramLabel = "HOST:PORT,...", required = true,
            description = "Where each member listens, in the order of ranks; the same for all.")
    private String members;
    @Option(names = "--rank", paramLabel = "N", required = true, description = "Which of them this is, from 0.")
    private int rank;
    @Option(names = "--type", paramLabel = "TYPE", defaultValue = "float32", completionCandidates = Types.class,
            description = "Of the elements: ${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    private String type;
    @Option(names = "--sizes", paramLabel = "SIZES", defaultValue = "64..64M:4",
            description = "Of tensors, in bytes: 64..64M is every power of two, 64..64M:4 every second, 64,4K,1M a list; default"
                    + " ${DEFAULT-VALUE}.")
    private String sizes;
    @Mixin
    private FabricOption fabric;
    @Option(names = {"-n", "--iters", "--iterations"}, paramLabel = "N", defaultValue = "10000",
            description = "All-reduces of a size; fewer of large ones, but at least 5; default ${DEFAULT-VALUE}.")
    private int iterations;
    @Option(names = "--warm-up", paramLabel = "N", defaultValue = "30000",
            description = "All-reduces of a size before those, again until no member compiles any more, for ten seconds at most; fewer of large"
                    + " ones; default ${DEFAULT-VALUE}.")
    private int warmUp;
    @Mixin
    private JsonOutput json;
    @Mixin
    private NetworkArguments network;
    @Mixin
    private ProgressArguments progress;

    /** Made by the command line. */
    public AllReduceCommand() {}

    @Override
    public Integer call() {
        AllReduceOptions options = check();
        json.check();
        PrintStream text = json.text();
        try (AllReduceMember member = new AllReduceMember(options);
                WaitNotices.Notice _ = WaitNotices.onStandardError().begin(member::doing, "", WaitNotices.NO_LIMIT)) {
            text.print(title(options, member.fabricName()));
            List<AllReduceFigures> figures = member.run();
            text.println(AllReduceFigures.HEADER);
            figures.forEach(each -> text.println(each.row()));
            json.write(toMap(options, member.fabricName(), figures));
        } catch (TransferException | FailedRunException | OutOfArenaMemoryException e) {
            throw new FailedRunException("allreduce: " + e.getMessage());
        }
        return ExitStatus.SUCCESS;
    }

    private AllReduceOptions check() {
        List<Endpoint> endpoints = endpoints();
        requireRange("--rank", rank, 0, endpoints.size() - 1);
        requireRange("-n", iterations, AllReduceOptions.ITERATIONS_MIN, ITERATIONS_MAX);
        requireRange("--warm-up", warmUp, 0, ITERATIONS_MAX);
        new Types().require("--type", type);
        ElementType elements = TYPES.stream().filter(each -> name(each).equals(type)).findFirst().orElseThrow();
        List<Long> byteSizes = Sizes.parse(sizes, AllReduceOptions.BYTE_SIZE_MIN, AllReduceOptions.BYTE_SIZE_MAX);
        for (long byteSize : byteSizes) {
            if (byteSize % elements.byteSize(1) != 0) {
                throw new BadInputException("--sizes: " + byteSize + " bytes are no whole elements of " + type);
            }
        }
        return new AllReduceOptions(endpoints, rank, fabric.name(), network.options(), elements, byteSizes, iterations,
                warmUp,
                progress.check());
    }

    private List<Endpoint> endpoints() {
        try {
            List<Endpoint> endpoints = Arrays.stream(members.split(",", -1)).map(Endpoint::parse).toList();
            if (endpoints.size() < 2 || endpoints.size() > MEMBERS_MAX
                    || endpoints.stream().distinct().count() < endpoints.size()
                    || endpoints.stream().anyMatch(each -> each.port() == 0)) {
                throw new BadInputException(
                        "--members=" + members + "; give 2 to " + MEMBERS_MAX + " different ones, each with its port");
            }
            return endpoints;
        } catch (IllegalArgumentException e) {
            throw new BadInputException("--members=" + members + ": " + e.getMessage());
        }
    }

    private static String name(ElementType type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    private static String title(AllReduceOptions options, String fabric) {
        return " All-reduces, " + options.members().size() + " members, " + name(options.type()) + ", fabric " + fabric
                + ", driven by " + options.progress()
                + "\n bus: what a member writes to the next one; copy: MemorySegment.copy, all members at once;"
                + "\n bound: 3 (n-1)/n #bytes / copy; share: bound / t_typ\n";
    }

    private static Map<String, Object> toMap(AllReduceOptions options, String fabric, List<AllReduceFigures> figures) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("test", "allreduce");
        map.put("members", options.members().size());
        map.put("rank", options.rank());
        map.put("type", name(options.type()));
        map.put("fabric", fabric);
        map.put("drivenBy", options.progress().toString());
        map.put("iterations", options.iterations());
        map.put("warmUp", options.warmUp());
        map.put("results", figures.stream().map(AllReduceFigures::toMap).toList());
        return map;
    }
}
