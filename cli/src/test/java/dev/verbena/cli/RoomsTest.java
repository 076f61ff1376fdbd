package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
        Set<String> exported = ModuleEdges.onClassPath(CommandRun.classPath()).stream()
                .filter(module -> module.name().equals("dev.verbena.allocator"))
                .flatMap(module -> module.exports().stream()).map(Exports::source).collect(Collectors.toSet());
        assertEquals(Set.of(EXPORTED), exported);
        List<String> leaks = new ArrayList<>();
        int seen = 0;
        for (String room : allocator().arrows().keySet()) {
            if (Character.isUpperCase(room.charAt(0))) {
                Class<?> type = Class.forName(EXPORTED + "." + room);
                if (Modifier.isPublic(type.getModifiers())) {
                    seen++;
                    leaks.addAll(Rooms.leaks(type));
                }
            }
        }
        assertEquals(List.of(), leaks);
        assertTrue(seen > 10, "public types: " + seen);
        assertEquals(1, Rooms.leaks(Shows.class).size());
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
