package dev.verbena.softroce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.junit.jupiter.api.Assumptions;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * A test as the console launcher's JUnit report has it.
 *
 * @param failure its stack trace; null where it did not fail
 * @param skipped why it was skipped; null where it was not
 */
record TestResult(String className, String name, String failure, String skipped) {
    /** All tests of a folder of reports, by class. None where the launcher did not come to write them. */
    static Map<String, List<TestResult>> readAll(Path reports) throws IOException {
        Map<String, List<TestResult>> results = new TreeMap<>();
        if (Files.isDirectory(reports)) {
            try (var files = Files.list(reports)) {
                for (Path file : files.filter(each -> each.toString().endsWith(".xml")).toList()) {
                    for (TestResult result : read(file)) {
                        results.computeIfAbsent(result.className, _ -> new ArrayList<>()).add(result);
                    }
                }
            }
        }
        return results;
    }

    private static List<TestResult> read(Path report) throws IOException {
        try {
            NodeList cases = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile())
                    .getElementsByTagName("testcase");
            List<TestResult> results = new ArrayList<>();
            for (int i = 0; i < cases.getLength(); i++) {
                results.add(of((Element) cases.item(i)));
            }
            return results;
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException("not a JUnit report: file=" + report, e);
        }
    }

    private static TestResult of(Element testCase) {
        String failure = text(testCase, "failure");
        return new TestResult(testCase.getAttribute("classname"), testCase.getAttribute("name"),
                failure == null ? text(testCase, "error") : failure, text(testCase, "skipped"));
    }

    private static String text(Element parent, String tag) {
        Node child = parent.getElementsByTagName(tag).item(0);
        return child == null ? null : child.getTextContent();
    }

    /** By class and name, so that a line of the build's output is enough to find it. */
    String displayName() {
        return className.substring(className.lastIndexOf('.') + 1) + "." + name.replace("()", "");
    }

    boolean isFailed() {
        return failure != null;
    }

    /** Ends as the test did. */
    void check(String device) {
        if (failure != null) {
            throw new AssertionError(displayName() + " on " + device + ": " + failure);
        }
        Assumptions.assumeTrue(skipped == null, skipped);
    }
}
