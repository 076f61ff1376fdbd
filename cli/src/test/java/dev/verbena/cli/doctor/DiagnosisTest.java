package dev.verbena.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.transfer.NetworkOptions;

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
        assertTrue(diagnosis.toText().endsWith("\nusable: shm, verbs\n"), diagnosis.toText());
        assertTrue(diagnosis.toText().contains("\nok       port state     rxe0 port 1 is ACTIVE\n"));
    }

    @Test
    void withoutRdmaSharedMemoryIsEnough() {
        Machines machine = Machines.plain(root);
        machine.fabrics.put("verbs", machine.verbsProblem);
        Diagnosis diagnosis = Diagnosis.of(machine.seen());
        assertEquals(List.of("shm"), diagnosis.usable());
        assertTrue(diagnosis.isUsable());
        diagnosis.findings().forEach(finding -> assertFalse(finding.status() == Status.PROBLEM, finding.toString()));
        assertTrue(diagnosis.toText().endsWith("\nusable: shm; not usable: verbs\n"), diagnosis.toText());
        assertTrue(diagnosis.toText().contains("\n                        -> This kernel has no RDMA"));
    }

    @Test
    void whatStopsOneFabricLeavesTheOther() {
        Machines machine = Machines.healthy(root).limits("0", "1024");
        machine.fabrics.put("verbs", "");
        assertEquals(List.of("shm"), Diagnosis.of(machine.seen()).usable());
        machine.environment.put("VERBENA_SHM_DIR", "/none");
        Diagnosis diagnosis = Diagnosis.of(machine.seen());
        assertFalse(diagnosis.isUsable());
        assertTrue(diagnosis.toText().endsWith("\nno fabric can be used\n"), diagnosis.toText());
        assertEquals(List.of("shm", "verbs"), diagnosis.toMap().get("stopped"));
        assertTrue(diagnosis.toMap().get("findings").toString().contains("{check=memlock, status=problem, "));
    }

    /** Whatever it is: shared memory works wherever the tests do. */
    @Test
    void thisMachineIsUsable() {
        Diagnosis diagnosis = Diagnosis.ofThisMachine(NetworkOptions.defaults(), 1);
        assertTrue(diagnosis.usable().contains("shm"), diagnosis::toText);
    }
}
