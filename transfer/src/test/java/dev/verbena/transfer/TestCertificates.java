package dev.verbena.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Keys and certificates of an authority that is trusted, and of one that is not, as the JDK's keytool makes them. One thread. */
public final class TestCertificates {
    private static final String PASSWORD = "changeit";

    private final Path folder;

    /** Makes stores in that folder. */
    public TestCertificates(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        keytool("trusted", "ca", "-ext", "bc:c");
        keytool("trusted", "member", "-signer", "ca");
        keytool("trusted", "expired", "-signer", "ca", "-startdate", "-10d", "-validity", "5");
        keytool("others", "stranger");
    }

    private void keytool(String store, String alias, String... more) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool")
                .toString(), "-J-XX:TieredStopAtLevel=1", "-genkeypair", "-keystore", file(store).toString(),
                "-storetype", "PKCS12", "-storepass", PASSWORD, "-alias", alias, "-dname", "CN=" + alias, "-keyalg",
                "EC"));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(command + ": " + output);
        }
    }

    private Path file(String store) {
        return folder.resolve(store + ".p12");
    }

    private KeyStore load(String store) throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file(store))) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    /** Of a process that shows this certificate, of that store, and trusts the authority of members. */
    public SSLContext context(String store, String alias) throws IOException, GeneralSecurityException {
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, null);
        KeyStore all = load(store);
        own.setKeyEntry(alias, all.getKey(alias, PASSWORD.toCharArray()), PASSWORD.toCharArray(),
                all.getCertificateChain(alias));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD.toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("ca", load("trusted").getCertificate("ca"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
