package dev.verbena.cli;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * A tree of maps and lists as an indented text, a line for each value, values in one column.
 *
 * <p>An entry of a list begins with its first value, the others below it; where it holds nothing but values it is one line, and where
 * it has a name, a value and a reason it reads {@code name: value (reason)}.
 */
final class Outline {
    private static final int INDENT = 2;
    private static final int COLUMN = 32;

    private final StringBuilder text = new StringBuilder();

    private Outline() {}

    static String of(Map<String, ?> tree) {
        Outline outline = new Outline();
        tree.forEach((name, value) -> outline.entry(0, name, value));
        return outline.text.toString();
    }

    private void entry(int indent, String name, Object value) {
        switch (value) {
            case Map<?, ?> map -> {
                line(indent, name, "");
                map.forEach((key, each) -> entry(indent + INDENT, (String) key, each));
            }
            case List<?> list when list.isEmpty() -> line(indent, name, "none");
            case List<?> list -> {
                line(indent, name, "");
                list.forEach(each -> element(indent + INDENT, (Map<?, ?>) each));
            }
            default -> line(indent, name, value);
        }
    }

    private void element(int indent, Map<?, ?> element) {
        if (element.containsKey("name")) {
            line(indent, (String) element.get("name"), element.get("value") + " (" + element.get("reason") + ")");
            return;
        }
        boolean isFlat = element.values().stream().noneMatch(value -> value instanceof Map || value instanceof List);
        Iterator<? extends Map.Entry<?, ?>> entries = element.entrySet().iterator();
        Map.Entry<?, ?> first = entries.next();
        StringBuilder value = new StringBuilder().append(first.getValue());
        if (isFlat) {
            entries.forEachRemaining(each -> value.append(", ").append(each.getKey()).append(' ')
                    .append(each.getValue()));
        }
        line(indent, (String) first.getKey(), value);
        entries.forEachRemaining(each -> entry(indent + INDENT, (String) each.getKey(), each.getValue()));
    }

    private void line(int indent, String name, Object value) {
        String label = " ".repeat(indent) + name + ":";
        text.append((label + " ".repeat(Math.max(1, COLUMN - label.length())) + value).stripTrailing()).append('\n');
    }
}
