package dev.verbena.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.transfer.NetworkOptions;
import picocli.CommandLine.Help.Ansi;

class DiagnosisTest {
    @TempDir
    private Path root;

    @Test
    void nothingIsFoundOnAHealthyMachine() {
        Machines machine = Machines.healthy(root);
        machine.fabrics.put("verbs", "");
        Diagnosis diagnosis = Diagnosis.of(machine.seen());
        diagnosis.findings().forEach(finding -> assertEquals(Status.OK, finding.status(), finding.toString()));
        assertEquals(List.of(), diagnosis.stopped());
        String text = diagnosis.toText(Ansi.OFF);
        assertTrue(text.startsWith("findings: " + diagnosis.findings().size()
                + " ok, 0 warnings, 0 problems\nusable: shm, verbs\n\nok  "), text);
        assertTrue(text.contains("\nok       port state     rxe0 port 1 is ACTIVE\n"), text);
    }

    @Test
    void withoutRdmaSharedMemoryIsEnough() {
        Machines machine = Machines.plain(root);
        machine.fabrics.put("verbs", machine.verbsProblem);
        Diagnosis diagnosis = Diagnosis.of(machine.seen());
        assertEquals(List.of("shm"), diagnosis.usable());
        assertTrue(diagnosis.isUsable());
        diagnosis.findings().forEach(finding -> assertFalse(finding.status() == Status.PROBLEM, finding.toString()));
        String text = diagnosis.toText(Ansi.OFF);
        assertTrue(text.contains("\nusable: shm; not usable: verbs\n\n"), text);
        assertTrue(text.contains("\n                        -> This kernel has no RDMA"), text);
    }

    @Test
    void whatStopsOneFabricLeavesTheOther() {
        Machines machine = Machines.healthy(root).limits("0", "1024");
        machine.fabrics.put("verbs", "");
        assertEquals(List.of("shm"), Diagnosis.of(machine.seen()).usable());
        machine.environment.put("VERBENA_SHM_DIR", "/none");
        Diagnosis diagnosis = Diagnosis.of(machine.seen());
        assertFalse(diagnosis.isUsable());
        assertTrue(diagnosis.toText(Ansi.OFF).contains("\nno fabric can be used\n\n"), diagnosis::toString);
        assertEquals(List.of("shm", "verbs"), diagnosis.toMap().get("stopped"));
        assertTrue(diagnosis.toMap().get("findings").toString().contains("{check=memlock, status=problem, "));
    }

    @Test
    void theSummaryCountsAndTheWorstComesFirst() {
        Diagnosis diagnosis = new Diagnosis(List.of(Finding.ok("a", "well"), Finding.warning("b", "so so", "do b"),
                Finding.problem("c", "bad", "do c", "verbs"), Finding.warning("d", "so so", "do d")), List.of("shm"),
                List.of("verbs"));
        assertEquals("""
                findings: 1 ok, 2 warnings, 1 problem
                usable: shm; not usable: verbs

                problem  c              bad
                                        -> do c
                warning  b              so so
                                        -> do b
                warning  d              so so
                                        -> do d
                ok       a              well
                """, diagnosis.toText(Ansi.OFF));
        assertEquals(Map.of("ok", 1L, "warning", 2L, "problem", 1L), diagnosis.toMap().get("counts"));
    }

    @Test
    void coloursAreAddedAndNothingElse() {
        Diagnosis diagnosis = new Diagnosis(List.of(Finding.ok("a", "well"), Finding.problem("c", "@|red x|@", "do c")),
                List.of("shm"), List.of());
        String coloured = diagnosis.toText(Ansi.ON);
        assertEquals(diagnosis.toText(Ansi.OFF), coloured.replaceAll("\u001b\\[[;\\d]*m", ""));
        assertTrue(coloured.contains("\n\u001b[1m\u001b[31mproblem \u001b["), coloured);
        assertTrue(coloured.contains("\n\u001b[32mok      \u001b["), coloured);
    }

    /** Whatever it is: shared memory works wherever the tests do. */
    @Test
    void thisMachineIsUsable() {
        Diagnosis diagnosis = Diagnosis.ofThisMachine(NetworkOptions.defaults(), 1);
        assertTrue(diagnosis.usable().contains("shm"), diagnosis::toString);
    }
}
