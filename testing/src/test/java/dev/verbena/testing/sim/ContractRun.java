package dev.verbena.testing.sim;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** The tests of the contract that a simulation can run, once more, with another seed and plan, or with a promise broken. */
final class ContractRun {
    private ContractRun() {}

    static List<Method> tests() {
        return Arrays.stream(SimFabricContractTest.class.getMethods())
                .filter(each -> each.isAnnotationPresent(Test.class) && !each.isAnnotationPresent(Disabled.class))
                .toList();
    }

    /** @throws AssertionError that names the test, and says how to run it again */
    static void run(Method test, Simulation simulation) {
        SimFabricContractTest contract = new SimFabricContractTest();
        contract.begin(simulation);
        try (simulation) {
            test.setAccessible(true);
            test.invoke(contract);
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof TestAbortedException)) {
                throw new AssertionError(test.getName() + " in " + simulation + ": " + e.getCause() + "\n"
                        + String.join("\n", simulation.history()), e.getCause());
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
