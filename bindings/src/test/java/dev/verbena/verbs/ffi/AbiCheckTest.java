package dev.verbena.verbs.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.verbs.ffi.AbiCheck.Expectation;
import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_wc;

class AbiCheckTest {
    @Test
    void theGeneratedLayoutsAreTheVerifiedOnes() {
        assertNull(AbiCheck.layoutProblem(AbiCheck.verified()));
        assertTrue(AbiCheck.verified().size() > 20);
    }

    @Test
    void aLayoutOfAnotherMachineIsNamed() {
        List<Expectation> wrong = List.of(new Expectation(ibv_wc.layout(), null, 48),
                new Expectation(ibv_wc.layout(), null, 40),
                new Expectation(ibv_context.layout(), "cmd_fd", 328));
        assertEquals(
                "The layouts in dev.verbena.verbs.abi are not those verified for Linux on os.arch="
                        + System.getProperty("os.arch") + ", sizeof=ibv_wc bytes=48 verified=40,"
                        + " offsetof=ibv_context.cmd_fd bytes=264 verified=328: regenerate them with jextract.sh from the headers of rdma-core on"
                        + " such a machine.",
                AbiCheck.layoutProblem(wrong));
    }

    @Test
    void otherMachinesAreRefusedByName() {
        assertNull(AbiCheck.machineProblem("Linux", "amd64", true));
        assertNull(AbiCheck.machineProblem("Linux", "aarch64", true));
        for (String problem : List.of(AbiCheck.machineProblem("Linux", "riscv64", true),
                AbiCheck.machineProblem("Linux", "aarch64", false),
                AbiCheck.machineProblem("Mac OS X", "amd64", false),
                AbiCheck.machineProblem("Linux", "amd64", false))) {
            assertTrue(
                    problem.startsWith(
                            "RDMA verbs are verified on Linux x86-64 and AArch64 with glibc only, not on os.name="),
                    problem);
        }
        assertTrue(AbiCheck.machineProblem("Linux", "riscv64", true).contains("os.arch=riscv64"));
    }
}
