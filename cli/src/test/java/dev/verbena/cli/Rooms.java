package dev.verbena.cli;

import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The rooms of a module and the arrows between them, by what its sources name: a package that is not exported is a room, and of the
 * exported one each type.
 *
 * @param arrows from each room to those that it uses
 */
record Rooms(Map<String, Set<String>> arrows) {
    private static final Pattern NOT_CODE = Pattern
            .compile("//[^\\n]*|/\\*.*?\\*/|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"", Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("\\b[A-Z]\\w*\\b");

    /** Of the sources below a folder, which is that of the exported package. */
    static Rooms of(Path exported) throws IOException {
        Map<String, String> texts = new HashMap<>();
        try (Stream<Path> files = Files.walk(exported)) {
            for (Path file : files.filter(Rooms::hasTypes).toList()) {
                texts.put(exported.relativize(file).toString(), Files.readString(file));
            }
        }
        return of(texts);
    }

    private static boolean hasTypes(Path file) {
        return file.toString().endsWith(".java") && !file.endsWith("package-info.java");
    }

    /** Of texts by their files' paths below the folder of the exported package. */
    static Rooms of(Map<String, String> texts) {
        Map<String, String> roomOfType = new HashMap<>();
        texts.keySet().forEach(file -> roomOfType.merge(typeOf(file), roomOf(file), (one, other) -> {
            throw new IllegalStateException("two types are called " + typeOf(file));
        }));
        Map<String, Set<String>> arrows = new TreeMap<>();
        texts.forEach((file, text) -> {
            String room = roomOf(file);
            Set<String> used = arrows.computeIfAbsent(room, none -> new TreeSet<>());
            Matcher name = NAME.matcher(NOT_CODE.matcher(text).replaceAll(" "));
            while (name.find()) {
                String target = roomOfType.getOrDefault(name.group(), room);
                if (!target.equals(room)) {
                    used.add(target);
                }
            }
        });
        return new Rooms(arrows);
    }

    /** The rooms between which arrows go round in circles. */
    Set<String> inCircles() {
        Map<String, Set<String>> left = new TreeMap<>();
        arrows.forEach((room, used) -> left.put(room, new TreeSet<>(used)));
        boolean isSmaller = true;
        while (isSmaller) {
            Set<String> used = new TreeSet<>();
            left.values().forEach(used::addAll);
            isSmaller = left.entrySet().removeIf(room -> room.getValue().isEmpty() || !used.contains(room.getKey()));
            left.values().forEach(targets -> targets.retainAll(left.keySet()));
        }
        return left.keySet();
    }

    /** What users of a public type would see of a package that is not exported. */
    static List<String> leaks(Class<?> type) {
        List<String> leaks = new ArrayList<>();
        Stream.of(type.getDeclaredMethods(), type.getDeclaredConstructors(), type.getDeclaredFields())
                .flatMap(Stream::of).map(Member.class::cast)
                .filter(member -> (member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0)
                .forEach(member -> types(member).filter(seen -> isHidden(seen, type.getPackageName()))
                        .forEach(seen -> leaks.add(member + " shows " + seen.getName())));
        return leaks;
    }

    private static Stream<Class<?>> types(Member member) {
        return switch (member) {
            case Field field -> Stream.of(field.getType());
            case Method method ->
                Stream.concat(Stream.of(method.getReturnType()), Stream.of(method.getParameterTypes()));
            default -> Stream.of(((Executable) member).getParameterTypes());
        };
    }

    private static boolean isHidden(Class<?> seen, String exported) {
        return seen.getPackageName().startsWith(exported + ".");
    }

    private static String roomOf(String file) {
        int slash = file.lastIndexOf('/');
        return slash < 0 ? typeOf(file) : file.substring(0, slash);
    }

    private static String typeOf(String file) {
        return file.substring(file.lastIndexOf('/') + 1).replace(".java", "");
    }
}
