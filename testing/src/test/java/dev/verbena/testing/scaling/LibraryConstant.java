package dev.verbena.testing.scaling;

import java.lang.reflect.Field;

/** A constant of the library that nobody outside sees, as it is in the class that is used. */
final class LibraryConstant {
    private static final String ROOT = "dev.verbena.transfer.";

    private LibraryConstant() {}

    static long of(String className, String name) {
        try {
            Field field = Class.forName(ROOT + className).getDeclaredField(name);
            field.setAccessible(true);
            return ((Number) field.get(null)).longValue();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(className + " has no constant " + name + " any more; the model must follow", e);
        }
    }
}
