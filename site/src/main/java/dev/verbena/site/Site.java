package dev.verbena.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Makes the documents of the source tree, and the API documentation beside them, a site of pages that need no network: {@code SOURCE-TREE
 * TARGET-FOLDER API-FOLDER SPARK-API-FOLDER}, as {@code ./verbena docs} does.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> confined to its creator's.
 */
final class Site {
    /** Where the API documentation lies in it: that of the modules, and that of what is no module. */
    static final String API = "api";
    static final String SPARK_API = "api-spark";

    private final Path tree;
    private final Path target;

    Site(Path tree, Path target) {
        this.tree = tree;
        this.target = target;
    }

    public static void main(String[] arguments) throws IOException {
        Site site = new Site(Path.of(arguments[0]), Path.of(arguments[1]));
        site.clear();
        site.write();
        site.take(Path.of(arguments[2]), API);
        site.take(Path.of(arguments[3]), SPARK_API);
    }

    /** What an earlier one has left. */
    private void clear() throws IOException {
        if (!Files.exists(target)) {
            return;
        }
        List<Path> files;
        try (Stream<Path> all = Files.walk(target)) {
            files = all.toList();
        }
        for (Path file : files.reversed()) {
            Files.delete(file);
        }
    }

    /** A page for each document, and what these show and lead to. */
    void write() throws IOException {
        Set<Path> others = new LinkedHashSet<>();
        for (Path document : documents()) {
            DocumentPage page = new DocumentPage(document, Files.readString(tree.resolve(document)));
            Path file = target.resolve(DocumentPage.nameOf(document));
            Files.createDirectories(file.getParent());
            Files.writeString(file, page.html());
            others.addAll(page.otherFiles());
        }
        for (Path other : others) {
            Files.createDirectories(target.resolve(other).getParent());
            Files.copy(tree.resolve(other), target.resolve(other), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Relative to the tree: those at its top, and all below {@code docs}. */
    private List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        try (Stream<Path> top = Files.list(tree); Stream<Path> below = Files.walk(tree.resolve("docs"))) {
            Stream.concat(top, below).filter(file -> file.toString().endsWith(".md")).sorted()
                    .forEach(file -> documents.add(tree.relativize(file)));
        }
        return documents;
    }

    private void take(Path api, String name) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(api)) {
            files = all.filter(Files::isRegularFile).toList();
        }
        for (Path file : files) {
            Path copy = target.resolve(name).resolve(api.relativize(file));
            Files.createDirectories(copy.getParent());
            Files.copy(file, copy);
        }
    }
}
