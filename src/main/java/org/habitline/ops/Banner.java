package org.habitline.ops;

import io.micronaut.context.annotation.Value;
import io.micronaut.runtime.server.EmbeddedServer;
import jakarta.inject.Singleton;
import java.io.PrintStream;
import java.nio.file.Path;
import org.habitline.llm.LanguageModel;
import org.habitline.messaging.Channels;

/** What whoever started the line is told first. The login link stands here and in no log. */
@Singleton
public final class Banner {

  private final LanguageModel model;
  private final Channels channels;
  private final Access access;
  private final String host;
  private final String publicUrl;
  private final String home;

  Banner(
      LanguageModel model,
      Channels channels,
      Access access,
      @Value("${habitline.host}") String host,
      @Value("${habitline.public-url:}") String publicUrl,
      @Value("${habitline.home}") String home) {
    this.model = model;
    this.channels = channels;
    this.access = access;
    this.host = host;
    this.publicUrl = publicUrl;
    this.home = home;
  }

  /** Prints where the line listens, who answers on it, and how to sign in. */
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
    out.println("  data:    " + Path.of(home, "data"));
    if (!access.hasAdminKey() && Loopback.isLoopback(host)) {
      out.println("  sign in: " + url + "/login?token=" + access.newLogin());
      out.println("           (works once, within a day; every start prints a new one)");
    }
    out.println();
    out.flush();
  }

  private String listening(int port) {
    var shown = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
    return "http://" + shown + ":" + port;
  }
}
