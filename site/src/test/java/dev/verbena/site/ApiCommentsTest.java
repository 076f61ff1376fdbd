package dev.verbena.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExportsTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;

/** Whatever a stranger meets in the API documentation has a comment. Javadoc's own check wants each parameter named too, which says nothing more. */
class ApiCommentsTest {
    private static final Path TREE = Path.of(System.getProperty("verbena.home"));
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    @Test
    void allTypesAndMembersOfTheApiHaveOne() throws IOException {
        List<String> without = new ArrayList<>();
        int packages = 0;
        try (StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, null)) {
            for (Path module : modules()) {
                for (CompilationUnitTree unit : parse(files, List.of(module)).units()) {
                    for (var directive : unit.getModule().getDirectives()) {
                        if (directive instanceof ExportsTree exports && exports.getModuleNames() == null) {
                            Path folder = module
                                    .resolveSibling(exports.getPackageName().toString().replace('.', '/'));
                            lookAt(parse(files, sources(folder)), without);
                            packages++;
                        }
                    }
                }
            }
            lookAt(parse(files, sources(TREE.resolve("integrations/spark/src/main/java/dev/verbena/spark"))), without);
        }
        assertEquals(List.of(), without);
        assertTrue(packages > 10, "packages=" + packages);
    }

    private record Parsed(JavacTask task, Iterable<? extends CompilationUnitTree> units) {}

    private static Parsed parse(StandardJavaFileManager files, List<Path> sources) throws IOException {
        JavacTask task = (JavacTask) COMPILER.getTask(null, files, null, null, null,
                files.getJavaFileObjectsFromPaths(sources));
        return new Parsed(task, task.parse());
    }

    /** Of what is published; training has an API for this tree only. */
    private static List<Path> modules() throws IOException {
        try (Stream<Path> all = Files.walk(TREE, 7)) {
            return all.filter(file -> file.endsWith("src/main/java/module-info.java"))
                    .filter(file -> !file.startsWith(TREE.resolve("training"))).sorted().toList();
        }
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            // jextract's are as they are made.
            return all.filter(file -> file.toString().endsWith(".java") && !folder.endsWith("abi")).sorted().toList();
        }
    }

    private static void lookAt(Parsed parsed, List<String> without) {
        DocTrees trees = DocTrees.instance(parsed.task());
        for (CompilationUnitTree unit : parsed.units()) {
            new TreePathScanner<Void, Void>() {
                @Override
                public Void visitClass(ClassTree type, Void nothing) {
                    if (!isSeen(type, type.getModifiers())) {
                        return null;
                    }
                    look(type.getSimpleName().toString());
                    return super.visitClass(type, nothing);
                }

                @Override
                public Void visitMethod(MethodTree method, Void nothing) {
                    boolean isOverride = method.getModifiers().getAnnotations().stream()
                            .anyMatch(each -> each.getAnnotationType().toString().equals("Override"));
                    if (!isOverride && isSeen(method, method.getModifiers()) && isWritten(method)) {
                        look(method.getName().toString());
                    }
                    return null;
                }

                @Override
                public Void visitVariable(VariableTree field, Void nothing) {
                    if (isSeen(field, field.getModifiers())) {
                        look(field.getName().toString());
                    }
                    return null;
                }

                /** Not by the compiler. */
                private boolean isWritten(Tree tree) {
                    return trees.getSourcePositions().getStartPosition(unit, tree) >= 0;
                }

                private boolean isSeen(Tree member, ModifiersTree modifiers) {
                    Set<Modifier> flags = modifiers.getFlags();
                    TreePath parent = getCurrentPath().getParentPath();
                    boolean isInInterface = parent.getLeaf().getKind() == Tree.Kind.INTERFACE
                            && !flags.contains(Modifier.PRIVATE);
                    return flags.contains(Modifier.PUBLIC) || flags.contains(Modifier.PROTECTED) || isInInterface;
                }

                private void look(String name) {
                    if (trees.getDocComment(getCurrentPath()) == null) {
                        without.add(TREE.relativize(Path.of(unit.getSourceFile().getName())) + ":"
                                + unit.getLineMap().getLineNumber(
                                        trees.getSourcePositions().getStartPosition(unit, getCurrentPath().getLeaf()))
                                + " " + name);
                    }
                }
            }.scan(unit, null);
        }
    }
}
