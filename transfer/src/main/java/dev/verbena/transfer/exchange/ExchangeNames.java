package dev.verbena.transfer.exchange;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * What a sender has told of its names, by their ids; each was told once, in a message that came before those that rely on it.
 *
 * <p><b>Owner:</b> {@link ExchangeEntry}. <b>Threading:</b> confined to its owner.
 */
final class ExchangeNames {
    /** A name, and of what type and shape its tensors are; null before the first of them. */
    static final class Known {
        private final String name;
        private ElementType type;
        private Shape shape;

        Known(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }

        ElementType type() {
            return type;
        }

        Shape shape() {
            return shape;
        }

        void take(ElementType type, Shape shape) {
            this.type = type;
            this.shape = shape;
        }
    }

    private final List<Known> byId = new ArrayList<>();
    /** Of the id that nothing is remembered by. */
    private Known other;

    /** @return null if nothing was told of that id */
    Known get(int id) {
        return id == ExchangeEntry.NAMES_MAX ? other : id < byId.size() ? byId.get(id) : null;
    }

    /** @throws IllegalArgumentException if it is not the next id, or none that is not remembered */
    void put(int id, String name) {
        if (id == ExchangeEntry.NAMES_MAX) {
            other = new Known(name);
        } else if (id == byId.size()) {
            byId.add(new Known(name));
        } else {
            throw new IllegalArgumentException("nameId=" + id + " is told twice or too early");
        }
    }

    void clear() {
        byId.clear();
        other = null;
    }
}
