package dev.verbena.verbs;

/**
 * The 64 bits that name a device in the whole world (EUI-64).
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param bits first octet in the highest byte
 */
public record Guid(long bits) {
    /** As {@code ibv_devinfo} shows it: four groups of four hexadecimal digits. */
    @Override
    public String toString() {
        return "%04x:%04x:%04x:%04x".formatted(bits >>> 48, bits >>> 32 & 0xffff, bits >>> 16 & 0xffff, bits & 0xffff);
    }
}
