package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import dev.verbena.cli.perf.PerfCommand;

/** The allocator's rooms: what users see in front, the rest hidden behind it, arrows one way. */
class RoomsTest {
    private static final String EXPORTED = "dev.verbena.memory";

    @Test
    void arrowsGoOneWay() throws IOException {
        Rooms rooms = allocator();
        assertEquals(Set.of(), rooms.inCircles(), rooms::toString);
        assertTrue(
                rooms.arrows().keySet().containsAll(Set.of("debug", "events", "heap", "scope", "slab", "TensorArena")),
                rooms::toString);
        assertTrue(rooms.arrows().get("TensorArena").contains("heap"), rooms::toString);
    }

    @Test
    void arrowsOfModelsGoOneWay() throws IOException {
        Rooms rooms = Rooms.of(Repository.root().resolve("graph-tracer/src/main/java/dev/verbena/graph/onnx"));
        assertEquals(Set.of(), rooms.inCircles(), rooms::toString);
        assertTrue(rooms.arrows().keySet().containsAll(Set.of("operator", "wire", "OnnxReader")), rooms::toString);
    }

    @Test
    void graphsAreWrittenThenPlannedThenRun() throws IOException {
        Rooms rooms = Rooms.of(Repository.root().resolve("graph-tracer/src/main/java/dev/verbena/graph"));
        assertEquals(List.of(), againstTheGrain(rooms), rooms::toString);
        assertTrue(rooms.arrows().get("run").contains("plan"), rooms::toString);
        assertTrue(rooms.arrows().get("run/edge").contains("run/execution"), rooms::toString);
        assertTrue(rooms.arrows().get("plan").contains("Graph"), rooms::toString);
        assertEquals(List.of("Graph names plan", "plan names run", "plan names run/edge"),
                againstTheGrain(new Rooms(new TreeMap<>(Map.of("Graph", Set.of("plan"), "plan",
                        Set.of("Graph", "run", "run/edge"), "run", Set.of("plan", "Graph", "run/edge"), "run/edge",
                        Set.of("plan", "run"))))));
    }

    @Test
    void arrowsOfRunsGoOneWay() throws IOException {
        Rooms rooms = Rooms.of(Repository.root().resolve("graph-tracer/src/main/java/dev/verbena/graph/run"));
        assertEquals(Set.of(), rooms.inCircles(), rooms::toString);
        assertTrue(rooms.arrows().get("GraphSession").containsAll(Set.of("edge", "execution", "memory")),
                rooms::toString);
        assertTrue(rooms.arrows().get("edge").containsAll(Set.of("execution", "memory")), rooms::toString);
        assertTrue(rooms.arrows().get("execution").contains("memory"), rooms::toString);
    }

    /** Types of graphs name no package below; plans know no runs, models neither. */
    private static List<String> againstTheGrain(Rooms rooms) {
        List<String> wrong = new ArrayList<>();
        rooms.arrows().forEach((room, used) -> {
            for (String other : new TreeSet<>(used)) {
                boolean isType = Character.isUpperCase(room.charAt(0));
                boolean isBelow = !Character.isUpperCase(other.charAt(0));
                if (isType && isBelow || isOf("run", other) && !isOf("run", room)
                        || other.equals("plan") && !isOf("run", room)) {
                    wrong.add(room + " names " + other);
                }
            }
        });
        return wrong;
    }

    /** Whether a room is that package, or hidden in it. */
    private static boolean isOf(String packageName, String room) {
        return room.equals(packageName) || room.startsWith(packageName + "/");
    }

    @Test
    void arrowsOfPartsGoOneWay() throws IOException {
        Rooms rooms = Rooms.of(Repository.root().resolve("graph-tracer/src/main/java/dev/verbena/graph/partition"));
        assertEquals(Set.of(), rooms.inCircles(), rooms::toString);
        assertTrue(rooms.arrows().get("Partitioner").contains("Partitioning"), rooms::toString);
        Rooms run = Rooms.of(
                Repository.root().resolve("integrations/onnxruntime/src/main/java/dev/verbena/onnxruntime"));
        assertEquals(Set.of(), run.inCircles(), run::toString);
        assertTrue(run.arrows().get("PartRunner").contains("PartEnd"), run::toString);
    }

    /** A sealed type and those that it permits name each other. */
    @Test
    void arrowsOfTrainingGoOneWay() throws IOException {
        Rooms rooms = Rooms.of(Repository.root().resolve("training/src/main/java/dev/verbena/training"));
        assertEquals(Set.of("TrainingData", "Dataset", "TextCorpus", "DataFacts"), rooms.inCircles(), rooms::toString);
        assertTrue(rooms.arrows().keySet().containsAll(
                Set.of("blas", "checkpoint", "data", "model", "operation", "operation/image", "operation/recurrent")),
                rooms::toString);
        assertTrue(rooms.arrows().get("model").contains("operation/image"), rooms::toString);
        assertTrue(rooms.arrows().get("operation/image").contains("operation"), rooms::toString);
    }

    @Test
    void aTurnedArrowIsSeen() {
        Map<String, String> oneWay = Map.of("Arena.java",
                "import x.heap.Runs;\nclass Arena { Runs runs; Shape shape; }",
                "Shape.java",
                "/** Of {@link Arena}. */\nrecord Shape(String text) { String name() { return \"Arena\"; } }",
                "heap/Runs.java", "class Runs { Pages pages; Shape shape; }", "heap/Pages.java",
                "class Pages { Runs runs; }");
        assertEquals(Map.of("Arena", Set.of("Shape", "heap"), "Shape", Set.of(), "heap", Set.of("Shape")),
                Rooms.of(oneWay).arrows());
        assertEquals(Set.of(), Rooms.of(oneWay).inCircles());
        Map<String, String> turned = new HashMap<>(oneWay);
        turned.put("Shape.java", "record Shape(Runs runs) {}");
        turned.put("User.java", "class User { Arena arena; }");
        assertEquals(Set.of("Shape", "heap"), Rooms.of(turned).inCircles());
    }

    @Test
    void usersSeeOneRoomAndNothingOfTheOthers() throws IOException, ClassNotFoundException {
        assertEquals(Set.of(EXPORTED), exports("dev.verbena.allocator"));
        assertEquals(List.of(), leaks(allocator(), EXPORTED, 11));
        assertEquals(1, Rooms.leaks(Shows.class).size());
    }

    @Test
    void usersOfSessionsSeeNothingOfWhatRunsThem() throws IOException, ClassNotFoundException {
        Set<String> exported = exports("dev.verbena.graph");
        assertTrue(exported.contains("dev.verbena.graph.run"), exported::toString);
        assertFalse(exported.stream().anyMatch(name -> name.startsWith("dev.verbena.graph.run.")), exported::toString);
        Rooms rooms = Rooms.of(Repository.root().resolve("graph-tracer/src/main/java/dev/verbena/graph/run"));
        assertEquals(List.of(), leaks(rooms, "dev.verbena.graph.run", 9));
    }

    private static Set<String> exports(String module) {
        return ModuleEdges.onClassPath(CommandRun.classPath()).stream().filter(each -> each.name().equals(module))
                .flatMap(each -> each.exports().stream()).map(Exports::source).collect(Collectors.toSet());
    }

    /** What public types of an exported package show of hidden ones; there must be so many of them at least. */
    private static List<String> leaks(Rooms rooms, String exported, int countMin) throws ClassNotFoundException {
        List<String> leaks = new ArrayList<>();
        int seen = 0;
        for (String room : rooms.arrows().keySet()) {
            if (Character.isUpperCase(room.charAt(0))) {
                Class<?> type = Class.forName(exported + "." + room);
                if (Modifier.isPublic(type.getModifiers())) {
                    seen++;
                    leaks.addAll(Rooms.leaks(type));
                }
            }
        }
        assertTrue(seen >= countMin, "public types: " + seen);
        return leaks;
    }

    private static Rooms allocator() throws IOException {
        return Rooms.of(Repository.root().resolve("allocator/src/main/java/dev/verbena/memory"));
    }

    /** Shows its users a type of a package that is hidden from them. */
    private static final class Shows {
        private Shows() {}

        public PerfCommand hidden() {
            throw new UnsupportedOperationException("never called");
        }
    }
}
