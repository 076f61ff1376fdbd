package dev.verbena.verbs;

import java.util.Set;

/** A program that registers more memory than its limit allows, and prints what it is told. */
final class LargeRegistration {
    static final int REFUSED = 3;
    private static final long BYTE_SIZE = 1 << 20;

    private LargeRegistration() {}

    public static void main(String[] arguments) {
        try (DeviceContext context = DeviceContext.open(TestDevice.name());
                ProtectionDomain domain = context.allocateProtectionDomain();
                MemoryRegion region = domain.allocate(BYTE_SIZE, Set.of())) {
            System.out.println("registered " + region);
        } catch (VerbsException refused) {
            System.out.println(refused.getMessage());
            System.exit(REFUSED);
        }
    }
}
