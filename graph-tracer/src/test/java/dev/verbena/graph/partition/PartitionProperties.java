package dev.verbena.graph.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.IntStream;

import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxGraph;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.partition.LoadedGraph.Net;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random graphs: each node in one part, nothing goes back, no part too large, no cut worse than that of plain slices. */
class PartitionProperties {
    @Property(tries = 300)
    void divisionsAreBalancedAndNoWorseThanSlices(@ForAll long seed,
            @ForAll @IntRange(min = 1, max = 5) int partCount) {
        Random random = new Random(seed);
        LoadedGraph graph = random(random, partCount + random.nextInt(40));
        PartRanges free = new PartRanges(graph, pins(graph.size()), partCount);
        AutomaticDivision division = new AutomaticDivision(graph, free, partCount);
        int[] plain = division.plain().orElseThrow();
        int[] found = division.find().orElseThrow();
        assertDivides(graph, found, partCount);
        assertTrue(graph.cut(found) <= graph.cut(plain), () -> graph.cut(found) + " > " + graph.cut(plain));
        long largest = graph.largestLoad(found, partCount);
        assertTrue(largest <= division.loadMax(plain));
        // What slices can always reach, whatever their order.
        long heaviest = IntStream.range(0, graph.size()).mapToLong(graph::load).max().orElseThrow();
        long share = Math.ceilDiv(graph.totalLoad(), partCount);
        assertTrue(largest <= Math.max(share * 1.1, share * 1.02 + heaviest), () -> largest + " of " + share);
    }

    @Property(tries = 200)
    void slicesAreTheBestOfTheirOrder(@ForAll long seed, @ForAll @IntRange(min = 1, max = 3) int partCount) {
        Random random = new Random(seed);
        LoadedGraph graph = random(random, partCount + random.nextInt(8));
        PartRanges free = new PartRanges(graph, pins(graph.size()), partCount);
        ContiguousSplit split = new ContiguousSplit(graph, free, partCount, IntStream.range(0, graph.size()).toArray());
        List<int[]> all = allSlices(graph.size(), partCount);
        int[] balanced = split.balanced().orElseThrow();
        long leastLoad = all.stream().mapToLong(each -> graph.largestLoad(each, partCount)).min().orElseThrow();
        assertEquals(leastLoad, graph.largestLoad(balanced, partCount));
        long limit = leastLoad + random.nextInt(50);
        assertEquals(all.stream().filter(each -> graph.largestLoad(each, partCount) <= limit).mapToLong(graph::cut)
                .min().orElseThrow(), graph.cut(split.leastCut(limit).orElseThrow()));
    }

    @Property(tries = 200)
    void pinsAreKept(@ForAll long seed, @ForAll @IntRange(min = 2, max = 4) int partCount) {
        Random random = new Random(seed);
        LoadedGraph graph = random(random, partCount + random.nextInt(30));
        // Some of any division that there is: so there is one with them.
        int[] wanted = new int[graph.size()];
        for (int i = 0; i < wanted.length; i++) {
            wanted[i] = (int) ((long) i * partCount / wanted.length);
        }
        int[] pins = pins(graph.size());
        for (int i = 0; i < pins.length; i++) {
            pins[i] = random.nextInt(3) == 0 ? wanted[i] : PartRanges.FREE;
        }
        PartRanges ranges = new PartRanges(graph, pins, partCount);
        assertEquals(PartRanges.FREE, ranges.contradiction());
        int[] found = new AutomaticDivision(graph, ranges, partCount).find().orElseThrow();
        assertDivides(graph, found, partCount);
        for (int i = 0; i < pins.length; i++) {
            assertTrue(pins[i] == PartRanges.FREE || pins[i] == found[i]);
        }
    }

    @Property(tries = 100)
    void modelsAreDividedWhole(@ForAll long seed, @ForAll @IntRange(min = 1, max = 4) int partCount) {
        Random random = new Random(seed);
        TestGraph model = new TestGraph().input("x", 10);
        int count = partCount + random.nextInt(20);
        for (int i = 0; i < count; i++) {
            List<String> inputs = new ArrayList<>(List.of("x", "w" + i));
            for (int before = 0; before < i; before++) {
                if (random.nextInt(4) == 0) {
                    inputs.add("n" + before);
                }
            }
            model.weights("w" + i, random.nextInt(1000)).node("n" + i, 1 + random.nextInt(500),
                    String.join(",", inputs.subList(random.nextInt(2), inputs.size())));
        }
        model.output("n" + (count - 1));
        OnnxGraph graph = model.graph();
        InferredShapes shapes = model.infer();
        Partitioning found = Partitioner.into(partCount).partition(graph, shapes);
        assertEquals(count, found.parts().stream().mapToInt(part -> part.nodes().size()).sum());
        assertEquals(partCount, found.partCount());
        for (Part part : found.parts()) {
            for (OnnxNode node : part.nodes()) {
                assertEquals(part.index(), found.partOf(node));
            }
        }
        for (Crossing crossing : found.crossings()) {
            assertTrue(crossing.consumerParts().getFirst() > crossing.producerPart(), crossing::toString);
            crossing.consumerParts().forEach(
                    part -> assertTrue(found.parts().get(part).receives().contains(crossing.tensor())));
        }
        // The same again, said node by node.
        Partitioning same = Partitioner.into(partCount).withPins(node -> OptionalInt.of(found.partOf(node)))
                .partition(graph, shapes);
        assertEquals(found.parts(), same.parts());
        assertEquals(found.crossings(), same.crossings());
    }

    private static void assertDivides(LoadedGraph graph, int[] partOf, int partCount) {
        assertEquals(graph.size(), partOf.length);
        assertEquals(partCount, Arrays.stream(partOf).distinct().filter(part -> part >= 0 && part < partCount).count());
        for (Net net : graph.nets()) {
            for (int consumer : net.consumers()) {
                assertTrue(partOf[net.producer()] <= partOf[consumer], () -> net.producer() + " -> " + consumer);
            }
        }
    }

    private static int[] pins(int size) {
        int[] pins = new int[size];
        Arrays.fill(pins, PartRanges.FREE);
        return pins;
    }

    private static LoadedGraph random(Random random, int size) {
        List<Net> nets = new ArrayList<>();
        double density = random.nextDouble();
        for (int i = 0; i < size; i++) {
            int producer = i;
            int[] consumers = IntStream.range(i + 1, size)
                    .filter(each -> random.nextDouble() < density * 4 / (each - producer + 3))
                    .toArray();
            if (consumers.length > 0) {
                nets.add(new Net(1 + random.nextInt(1000), i, consumers));
            }
        }
        return new LoadedGraph(random.longs(size, 1, 200).toArray(), nets);
    }

    private static List<int[]> allSlices(int size, int partCount) {
        List<int[]> all = new ArrayList<>();
        for (int marks = 0; marks < 1 << (size - 1); marks++) {
            if (Integer.bitCount(marks) == partCount - 1) {
                int[] partOf = new int[size];
                for (int i = 1; i < size; i++) {
                    partOf[i] = partOf[i - 1] + (marks >> (i - 1) & 1);
                }
                all.add(partOf);
            }
        }
        return all;
    }
}
