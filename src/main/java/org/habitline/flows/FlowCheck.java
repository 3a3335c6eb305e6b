package org.habitline.flows;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads flows as a start does, for a check before the start. */
public final class FlowCheck {

  private final Path home;
  private final KnownTools tools;
  private final Optional<LocalTime> usual;
  private final TakenWords taken;

  /**
   * Creates a check.
   *
   * @param tools the tools a flow may name
   * @param usual {@code DEFAULT_SCHEDULE}, which replaces the flows' own time of daily prompts
   * @param taken words that no reply may be
   */
  public FlowCheck(Path home, KnownTools tools, Optional<LocalTime> usual, TakenWords taken) {
    this.home = home;
    this.tools = tools;
    this.usual = usual;
    this.taken = taken;
  }

  /**
   * Reads every flow that a start would have, packaged ones too, and returns their ids.
   *
   * @param standard the flow of participants who are enrolled without naming one
   * @throws BrokenFlow with every mistake, if there is any
   */
  public Collection<String> all(String standard) {
    return new FlowCatalog(home, standard, tools, usual, taken)
        .all().stream().map(Flow::id).toList();
  }

  /**
   * Reads one flow and returns its id, or nothing if there is no such flow.
   *
   * @param named a flow of the home folder, or else a folder with a {@code flow.yaml}, from the
   *     working directory or the home folder
   * @throws BrokenFlow with every mistake, if there is any
   */
  public Collection<String> one(String named) {
    var ofHome = FlowSources.in(home).only(file -> file.isOf(named));
    var sources =
        ofHome.isEmpty()
            ? folder(named).map(folder -> FlowSources.ofFolder(folder, home)).orElse(ofHome)
            : ofHome;
    return sources.read(tools, usual, taken).flows().keySet();
  }

  private Optional<Path> folder(String named) {
    try {
      return Stream.of(Path.of(named).toAbsolutePath(), home.resolve(named))
          .map(Path::normalize)
          .filter(folder -> Files.exists(folder.resolve(FlowFiles.FLOW)))
          .findFirst();
    } catch (InvalidPathException noFolder) {
      return Optional.empty();
    }
  }
}
