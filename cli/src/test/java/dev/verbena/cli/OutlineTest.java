package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

class OutlineTest {
    @Test
    void treesAreIndentedAndValuesStandInOneColumn() {
        Map<String, Object> port = tree("port", 1, "state", "ACTIVE", "GIDs",
                List.of(tree("index", 0, "GID", "fe80::1"), tree("index", 1, "GID", "::ffff:192.0.2.1")));
        Map<String, Object> info = tree("java", "25", "none", List.of(), "devices",
                List.of(tree("hca_id", "rxe0", "ports", List.of(port))), "auto", tree("fabric", "shm"), "settings",
                List.of(tree("name", "mtu", "value", "1024", "reason", "the port's")));
        assertEquals("""
                java:                           25
                none:                           none
                devices:
                  hca_id:                       rxe0
                    ports:
                      port:                     1
                        state:                  ACTIVE
                        GIDs:
                          index:                0, GID fe80::1
                          index:                1, GID ::ffff:192.0.2.1
                auto:
                  fabric:                       shm
                settings:
                  mtu:                          1024 (the port's)
                """, Outline.of(info));
    }

    private static Map<String, Object> tree(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }
}
