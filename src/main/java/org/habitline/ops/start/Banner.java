package org.habitline.ops.start;

import io.micronaut.context.annotation.Value;
import io.micronaut.runtime.server.EmbeddedServer;
import jakarta.inject.Singleton;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;
import org.habitline.ops.access.Access;
import org.habitline.ops.access.LoginBrake;
import org.habitline.ops.access.Loopback;
import org.habitline.ops.database.DatabaseChoice;
import org.habitline.ops.database.ErasedAgain;
import org.habitline.protocol.StudyContact;
import org.habitline.protocol.StudyFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prints the first messages of a start. The login link is printed here and never logged. */
@Singleton
public final class Banner {

  private static final Logger log = LoggerFactory.getLogger(Banner.class);

  private final LanguageModel model;
  private final Channels channels;
  private final Access access;
  private final LoginBrake brake;
  private final ErasedAgain erasedAgain;
  private final StudyFile study;
  private final String host;
  private final String publicUrl;
  private final String home;
  private final String databaseUrl;
  private final boolean validateSignature;

  Banner(
      LanguageModel model,
      Channels channels,
      Access access,
      LoginBrake brake,
      ErasedAgain erasedAgain,
      StudyFile study,
      @Value("${habitline.host}") String host,
      @Value("${habitline.public-url:}") String publicUrl,
      @Value("${habitline.home}") String home,
      @Value("${database.url:}") String databaseUrl,
      @Value("${twilio.validate-signature:true}") boolean validateSignature) {
    this.validateSignature = validateSignature;
    this.model = model;
    this.channels = channels;
    this.access = access;
    this.brake = brake;
    this.erasedAgain = erasedAgain;
    this.study = study;
    this.host = host;
    this.publicUrl = publicUrl;
    this.home = home;
    this.databaseUrl = databaseUrl.strip();
  }

  /**
   * Prints the address, the model, the channel, how to sign in, and warnings about settings that
   * are unsafe with real participants; warnings are also logged.
   */
  public void print(EmbeddedServer server, PrintStream out) {
    print(server.getPort(), out);
  }

  void print(int port, PrintStream out) {
    var url = publicUrl.isBlank() ? listening(port) : publicUrl.replaceFirst("/$", "");
    out.println();
    out.println("Habitline is up at " + listening(port));
    if (!publicUrl.isBlank()) {
      out.println("  public:  " + url);
    }
    out.println("  model:   " + model.describe());
    out.println("  channel: " + channels.describe());
    out.println("  data:    " + data());
    if (!access.hasAdminKey() && Loopback.isLoopback(host)) {
      out.println("  sign in: " + url + "/login#token=" + access.newLogin());
      out.println(
          "           (works once, within a day; every start prints a new one and ends earlier ones)");
    }
    if (!erasedAgain.notice().isEmpty()) {
      out.println("  NOTICE: " + erasedAgain.notice());
    }
    for (var warning : warnings()) {
      log.warn(warning);
      out.println("  WARNING: " + warning);
    }
    out.println();
    out.flush();
  }

  private String data() {
    return databaseUrl.isEmpty()
        ? Path.of(home, "data").toString()
        : "PostgreSQL, " + DatabaseChoice.Address.of(databaseUrl, "", "").place();
  }

  /**
   * Returns the warnings; without real phones, as when trying the service out, only those of the
   * database and the proxy.
   */
  private List<String> warnings() {
    var ofRealPhones =
        channels.usual().isSimulated()
            ? Stream.<Optional<String>>empty()
            : Stream.of(publicAddress(), answers(), contact());
    return Stream.concat(Stream.of(database(), brake.warning()), ofRealPhones)
        .flatMap(Optional::stream)
        .toList();
  }

  private Optional<String> database() {
    return !databaseUrl.isEmpty()
            && DatabaseChoice.Address.of(databaseUrl, "", "").readableOnTheWay()
        ? Optional.of(
            "DATABASE_URL names another host without TLS: anyone on the network between the two"
                + " can read every text and the password. Add sslmode=verify-full to it (see"
                + " docs/production.md).")
        : Optional.empty();
  }

  private Optional<String> contact() {
    return study.contact().isPresent() ? Optional.empty() : Optional.of(StudyContact.MISSING);
  }

  private Optional<String> publicAddress() {
    if (!validateSignature) {
      return Optional.of(
          "TWILIO_VALIDATE_SIGNATURE is false: anyone who can reach the port can send texts"
              + " as any participant.");
    }
    if (publicUrl.isBlank()) {
      return Optional.of(
          "HABITLINE_PUBLIC_URL is not set: calls that Twilio signs for an https address are refused, so no texts"
              + " arrive; Twilio reports no deliveries; and browsers send cookies over http, too.");
    }
    return publicUrl.startsWith("http://")
        ? Optional.of(
            "HABITLINE_PUBLIC_URL begins with http://: anyone on the network can read texts,"
                + " keys and cookies, and calls that Twilio signs for an https address are refused.")
        : Optional.empty();
  }

  private Optional<String> answers() {
    return model.rehearsal()
        ? Optional.of(
            "OPENAI_API_KEY and OPENAI_BASE_URL are not set: real people get replies from the rehearsal script, not"
                + " from a model.")
        : Optional.empty();
  }

  private String listening(int port) {
    var shown = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
    return "http://" + shown + ":" + port;
  }
}
