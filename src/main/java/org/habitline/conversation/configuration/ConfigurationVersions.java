package org.habitline.conversation.configuration;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.type.TypeReference;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.habitline.Hashes;
import org.habitline.conversation.configuration.FileInForce.Kind;
import org.habitline.conversation.stored.PromptTexts;
import org.habitline.conversation.stored.SharedContents;
import org.habitline.conversation.stored.TurnJson;
import org.habitline.flows.FlowCatalog;
import org.habitline.flows.FlowFolders;
import org.habitline.storage.Transactions;
import org.jspecify.annotations.Nullable;

/**
 * Records which configuration was in force from when to when. Files under {@code config} and
 * settings count as they were when this process started, because the program reads them only then;
 * prompt files as they were last read. Safe for any number of threads and nodes.
 */
@Singleton
public final class ConfigurationVersions {

  private static final TypeReference<Content> CONTENT = new TypeReference<>() {};
  private static final int LONGEST_NODE = 255;

  /** How often another node may record a version at the same moment. */
  private static final int TRIES = 10;

  private final JdbcConfigurationVersions rows;
  private final SharedContents contents;
  private final PromptTexts promptTexts;
  private final FlowCatalog flows;
  private final SettingsInForce settings;
  private final Transactions transactions;
  private final Clock clock;
  private final List<ConfigurationFiles.Read> files;
  private volatile InForce inForce = new InForce(-1, 0);

  ConfigurationVersions(
      JdbcConfigurationVersions rows,
      SharedContents contents,
      PromptTexts promptTexts,
      FlowCatalog flows,
      FlowFolders folders,
      SettingsInForce settings,
      Transactions transactions,
      Clock clock) {
    this.rows = rows;
    this.contents = contents;
    this.promptTexts = promptTexts;
    this.flows = flows;
    this.settings = settings;
    this.transactions = transactions;
    this.clock = clock;
    this.files = ConfigurationFiles.in(Objects.requireNonNull(folders.flows().getParent()));
  }

  /** Why a version began. */
  public enum Reason {
    /** A node started with another program, other files or other settings. */
    START,
    /** A prompt file was edited while a node was running. */
    PROMPT_EDIT;

    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A version.
   *
   * @param number from 1, without gaps
   * @param sha256 of its content; two versions with the same one are equal
   * @param node the host name of the node that recorded it
   * @param beganAt study time
   * @param endedAt when the next version began, or {@code null} while this is the newest
   */
  public record Version(
      long number,
      String sha256,
      String node,
      Instant beganAt,
      @Nullable Instant endedAt,
      Reason reason) {}

  /**
   * What a version consists of.
   *
   * @param program the program's version
   * @param settings values by the names of their environment variables, without secrets
   */
  public record Content(
      String program, SortedMap<String, String> settings, List<FileInForce> files) {}

  /** The number of the version in force, and the edition of the prompts that it was made of. */
  private record InForce(long edition, long number) {}

  /**
   * Returns the number of the version in force. If a prompt was edited, or this is the first call
   * after the start, it records the version first, unless it is the newest one already; joins the
   * running transaction.
   */
  public long current() {
    var now = inForce;
    return now.edition() == flows.edition() ? now.number() : recorded(now);
  }

  private long recorded(InForce before) {
    return transactions.write(() -> {
      // Read first: an edit that shows meanwhile is looked at again by the next turn.
      var edition = flows.edition();
      var number = number(before.number() == 0 ? Reason.START : Reason.PROMPT_EDIT);
      transactions.afterCommit(() -> inForce = new InForce(edition, number));
      return number;
    });
  }

  private long number(Reason reason) {
    var prompts = flows.promptsInForce();
    var all =
        Stream.concat(
                files.stream().map(ConfigurationFiles.Read::file),
                prompts.entrySet().stream()
                    .map(it ->
                        new FileInForce(
                            it.getKey(),
                            Kind.PROMPT,
                            it.getValue().sha256(),
                            it.getValue().content().getBytes(StandardCharsets.UTF_8).length)))
            .toList();
    var json = TurnJson.write(new Content(program(), settings.settings(), all));
    var sha256 = Hashes.sha256(json);
    for (int i = 0; i < TRIES; i++) {
      var newest = rows.newest();
      if (newest.isPresent() && newest.get().sha256().equals(sha256)) {
        return newest.get().number();
      }
      contents.keepAll(
          Stream.concat(
                  Stream.of(new SharedContents.Content(SharedContents.Kind.CONFIGURATION, json)),
                  files.stream().flatMap(file -> content(file).stream()))
              .toList());
      promptTexts.keep(prompts.values());
      var number = newest.map(it -> it.number() + 1).orElse(1L);
      if (rows.insert(number, sha256, node(), clock.instant(), reason) > 0) {
        return number;
      }
    }
    throw new IllegalStateException(
        "The configuration could not be recorded, because other nodes recorded theirs each time.");
  }

  private static Optional<SharedContents.Content> content(ConfigurationFiles.Read file) {
    return Optional.ofNullable(file.text())
        .map(text ->
            new SharedContents.Content(
                switch (file.file().kind()) {
                  case FLOW -> SharedContents.Kind.FLOW;
                  case STUDY -> SharedContents.Kind.STUDY;
                  case WORDS, PROMPT, DOCUMENT -> SharedContents.Kind.WORDS;
                },
                text));
  }

  /** Returns the version of this program. */
  public static String program() {
    return Objects.requireNonNullElse(
        ConfigurationVersions.class.getPackage().getImplementationVersion(), "development");
  }

  private static String node() {
    try {
      var name = InetAddress.getLocalHost().getHostName();
      return name.substring(0, Math.min(name.length(), LONGEST_NODE));
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }

  /** Returns versions before a number, newest first. */
  public List<Version> before(long number, int most) {
    return transactions.read(() -> rows.before(number, most)).stream()
        .map(row ->
            new Version(
                row.number(), row.sha256(), row.node(), row.beganAt(), row.endedAt(), row.reason()))
        .toList();
  }

  /** Returns the version of this number, or empty if there is none. */
  public Optional<Version> find(long number) {
    return number < 1 || number == Long.MAX_VALUE
        ? Optional.empty()
        : before(number + 1, 1).stream().filter(it -> it.number() == number).findFirst();
  }

  /** Returns what a version consists of. */
  public Content content(Version version) {
    return TurnJson.read(contents.find(version.sha256()).orElseThrow(), CONTENT);
  }

  /**
   * Returns the text of a file, or empty if it is not kept: of documents, and of very long files.
   */
  public Optional<String> text(FileInForce file) {
    return file.kind() == Kind.PROMPT
        ? promptTexts.find(file.sha256()).map(PromptTexts.PromptText::content)
        : contents.find(file.sha256());
  }

  /** Returns what a version changed, compared with another one. */
  public ConfigurationChanges changes(Version from, Version to) {
    return changes(from, to, (file, text) -> text);
  }

  /**
   * Returns what a version changed, compared with another one.
   *
   * @param shown returns the part of a file's text that the differences may show
   */
  public ConfigurationChanges changes(
      Version from, Version to, BiFunction<FileInForce, String, String> shown) {
    var before = content(from);
    var after = content(to);
    return new ConfigurationChanges(
        from.number(),
        to.number(),
        ConfigurationChanges.settings(before, after),
        files(before, after, shown));
  }

  private List<ConfigurationChanges.ChangedFile> files(
      Content before, Content after, BiFunction<FileInForce, String, String> shown) {
    var changed = new ArrayList<ConfigurationChanges.ChangedFile>();
    var old = ConfigurationChanges.byPath(before);
    var now = ConfigurationChanges.byPath(after);
    for (var path : ConfigurationChanges.names(old, now)) {
      var was = old.get(path);
      var is = now.get(path);
      if (was == null || is == null || !was.sha256().equals(is.sha256())) {
        changed.add(
            ConfigurationChanges.file(path, textOf(was, shown), textOf(is, shown), was, is));
      }
    }
    return changed;
  }

  private Optional<String> textOf(
      @Nullable FileInForce file, BiFunction<FileInForce, String, String> shown) {
    return file == null ? Optional.of("") : text(file).map(text -> shown.apply(file, text));
  }
}
