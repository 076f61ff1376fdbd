package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1Service;

/** The manifest of the guides makes a group of its pods: with the variables that it and Kubernetes give them. */
class KubernetesManifestTest {
    private static final Path MANIFEST = Path.of(System.getProperty("verbena.home"), "docs/kubernetes/training.yaml");

    private static Node service;
    private static Node job;

    /** A mapping of the manifest. */
    private record Node(Map<?, ?> values) {
        Node at(String... names) {
            Node node = this;
            for (String name : names) {
                node = new Node((Map<?, ?>) node.get(name));
            }
            return node;
        }

        Object get(String name) {
            assertTrue(values.containsKey(name), () -> name + " is in " + values.keySet());
            return values.get(name);
        }

        JsonElement json() {
            return new Gson().toJsonTree(values);
        }

        List<Node> list(String name) {
            return ((List<?>) get(name)).stream().map(each -> new Node((Map<?, ?>) each)).toList();
        }
    }

    @BeforeAll
    static void read() throws IOException {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        try (Reader reader = Files.newBufferedReader(MANIFEST)) {
            List<Node> documents = StreamSupport
                    .stream(new Yaml(new SafeConstructor(options)).loadAll(reader).spliterator(), false)
                    .map(document -> new Node((Map<?, ?>) document)).toList();
            assertEquals(List.of("Service", "Job"), documents.stream().map(each -> each.get("kind")).toList());
            service = documents.getFirst();
            job = documents.getLast();
        }
    }

    @Test
    void podsAreRanksOfOneGroup() {
        int pods = (Integer) job.at("spec").get("completions");
        assertEquals(pods, job.at("spec").get("parallelism"), "all run at the same time");
        assertEquals("Indexed", job.at("spec").get("completionMode"));
        for (int i = 0; i < pods; i++) {
            Map<String, String> variables = new HashMap<>(Map.of("JOB_COMPLETION_INDEX", Integer.toString(i)));
            container().list("env")
                    .forEach(each -> variables.put((String) each.get("name"), (String) each.get("value")));
            GroupEnvironment environment = GroupEnvironment.of(variables);
            assertEquals(List.of(i, pods), List.of(environment.rank(), environment.size()));
            assertEquals(master(), environment.master());
        }
    }

    private static Node container() {
        return job.at("spec", "template", "spec").list("containers").getFirst();
    }

    /** The name that an indexed job gives its first pod, within the domain of the headless service. */
    private static Endpoint master() {
        String name = (String) job.at("metadata").get("name");
        return new Endpoint(name + "-0." + service.at("metadata").get("name"),
                (Integer) service.at("spec").list("ports").getFirst().get("port"));
    }

    /** Of the release that the client is made for: its fields, and those that must be there. */
    @Test
    void itKeepsTheSchemaOfKubernetes() throws IOException {
        V1Service.validateJsonElement(service.json());
        V1Job.validateJsonElement(job.json());
    }

    @ParameterizedTest
    @CsvSource({"completions, completion", "restartPolicy, restartPolicies", "image, picture", "template, templates"})
    void aFieldThatTheSchemaHasNotIsFound(String field, String misspelt) {
        String text = job.json().toString().replace('"' + field + '"', '"' + misspelt + '"');
        String complaint = assertThrows(IllegalArgumentException.class,
                () -> V1Job.validateJsonElement(JsonParser.parseString(text))).getMessage();
        assertTrue(complaint.contains('`' + misspelt + '`'), complaint);
    }

    @Test
    void theServiceHasThePodsNames() {
        assertEquals("None", service.at("spec").get("clusterIP"), "a headless service");
        assertEquals(true, service.at("spec").get("publishNotReadyAddresses"));
        assertEquals(service.at("spec").get("selector"), job.at("spec", "template", "metadata").get("labels"));
        assertEquals(service.at("metadata").get("name"), job.at("spec", "template", "spec").get("subdomain"));
        assertEquals("Never", job.at("spec", "template", "spec").get("restartPolicy"));
    }
}
