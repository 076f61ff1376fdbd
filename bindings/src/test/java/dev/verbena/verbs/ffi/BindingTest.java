package dev.verbena.verbs.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.verbs.abi.rdma_core_h;

/** Binding a function takes milliseconds, and a program calls few of them: each is bound when it is first called. */
class BindingTest {
    @ParameterizedTest
    @ValueSource(classes = {LibIbverbs.class, LibRdmacm.class, DataPath.class, InlineVerbs.class, rdma_core_h.class})
    void aClassOfFunctionsBindsNoneOfThem(Class<?> functions) {
        assertEquals(List.of(), handles(functions));
    }

    @ParameterizedTest
    @ValueSource(classes = {LibIbverbs.class, LibRdmacm.class})
    void aHolderBindsOne(Class<?> functions) {
        for (Class<?> holder : functions.getDeclaredClasses()) {
            int bound = holder.getSimpleName().equals("Symbols") ? 0 : 1;
            assertEquals(bound, handles(holder).size(), holder.toString());
        }
    }

    /** With errno it is bound anew, so the other binding would be for nothing. */
    @Test
    void anAddressIsHadWithoutABinding() {
        for (Class<?> function : rdma_core_h.class.getDeclaredClasses()) {
            assertEquals(List.of(), handles(function));
        }
    }

    private static List<String> handles(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()) && field.getType() == MethodHandle.class)
                .map(field -> type.getSimpleName() + "." + field.getName()).toList();
    }
}
