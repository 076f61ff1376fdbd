package dev.verbena.verbs.examples;

import java.util.HashMap;
import java.util.Map;

/**
 * Command line options of one letter, as the C programs have them.
 *
 * <p>Threading: confined to its owner.
 */
final class Arguments {
    private final Map<Character, String> options = new HashMap<>();
    private String operand;

    /** Letters of options that take a value, and of those that don't. */
    static Arguments parse(String[] arguments, String valued, String flags) {
        Arguments parsed = new Arguments();
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            char letter = argument.length() == 2 && argument.charAt(0) == '-' ? argument.charAt(1) : 0;
            if (letter != 0 && flags.indexOf(letter) >= 0) {
                parsed.options.put(letter, "");
            } else if (letter != 0 && valued.indexOf(letter) >= 0 && i + 1 < arguments.length) {
                parsed.options.put(letter, arguments[++i]);
            } else if (letter == 0 && parsed.operand == null) {
                parsed.operand = argument;
            } else {
                throw new IllegalArgumentException("argument=" + argument + ": give -" + String.join(" -",
                        (valued + flags).split("")) + " with a value behind each of " + valued);
            }
        }
        return parsed;
    }

    boolean has(char letter) {
        return options.containsKey(letter);
    }

    String text(char letter, String otherwise) {
        return options.getOrDefault(letter, otherwise);
    }

    int number(char letter, int otherwise) {
        return has(letter) ? Integer.decode(options.get(letter)) : otherwise;
    }

    /** What is no option, or null. */
    String operand() {
        return operand;
    }
}
