package org.habitline.staff.bulk;

import java.util.List;
import java.util.stream.Collectors;
import org.habitline.staff.web.PageFrame;
import org.jspecify.annotations.Nullable;

/**
 * The page of one bulk action: its preview, its progress or its result.
 *
 * @param draft the words in the form of the message, or the tag
 * @param typed the number typed to confirm, kept if it was refused
 * @param problem why the last form was refused, or {@code null}
 * @param mayChange whether the reader may confirm and undo it
 * @param left the whole seconds in which it can be undone before it begins, or 0
 * @param tags the tags to choose from
 * @param leftOut why participants are left out, each with their number
 * @param estimate what the message comes to, in sentences; empty before it has words
 * @param began when it began or begins, or empty
 * @param shown a page of its participants, in their order
 * @param more where the next page starts, or empty
 */
public record BulkPage(
    PageFrame frame,
    BulkDesk.Action action,
    String draft,
    String typed,
    @Nullable Problem problem,
    boolean mayChange,
    long left,
    List<String> tags,
    List<String> leftOut,
    List<String> estimate,
    String began,
    List<Row> shown,
    String more) {

  /** Why a form was refused: the name of the field, and the sentence to show beside it. */
  public record Problem(String field, String sentence) {}

  /**
   * One participant.
   *
   * @param id empty if they are being erased
   * @param sentAt when a message to them was sent, in their time zone, or empty
   * @param bad whether a message to them did not arrive
   */
  public record Row(
      String id,
      String name,
      String result,
      String sentAt,
      boolean done,
      boolean bad,
      String details) {}

  /** Returns how many participants it is or will be done for. */
  public int count() {
    return action.count(BulkTargetStatus.WAITING);
  }

  public boolean previewed() {
    return action.status() == BulkStatus.PREVIEWED;
  }

  /** Returns whether participants wait for it, or for the moment at which it begins. */
  public boolean running() {
    return action.status() == BulkStatus.WAITING;
  }

  public boolean isMessage() {
    return action.kind() == BulkKind.MESSAGE;
  }

  public boolean isTagging() {
    return action.kind().isTagging();
  }

  /** Returns whether the preview can be confirmed now: someone is left, and it says what to do. */
  public boolean confirmable() {
    return previewed() && count() > 0 && action.isComplete();
  }

  /** Returns whether all participants are left out, whatever the message or the tag says. */
  public boolean isForNobody() {
    return count() == 0 && !(isTagging() && action.all() > 0);
  }

  public @Nullable String tag() {
    return action.tag();
  }

  public @Nullable String words() {
    return action.words();
  }

  /** Returns the version of the words or the tag that the page shows. */
  public int version() {
    return action.version();
  }

  /** Returns whether the number of participants must be typed to confirm. */
  public boolean needsTyping() {
    return action.needsTyping();
  }

  /** Returns the number of participants, also of those left out. */
  public int all() {
    return action.all();
  }

  /** Returns who confirmed it. */
  public String by() {
    return action.by();
  }

  /** Returns who stopped it, or {@code null}. */
  public @Nullable String endedBy() {
    return action.endedBy();
  }

  /** Returns the refused field's sentence, or empty. */
  public String problem(String field) {
    return problem != null && problem.field().equals(field) ? problem.sentence() : "";
  }

  /** Returns a problem that belongs to no field of the page, or empty. */
  public String complaint() {
    return problem != null && !List.of("text", "tag", "count").contains(problem.field())
        ? problem.sentence()
        : "";
  }

  /** Returns the heading of the page. */
  public String heading() {
    return previewed() && count() > 0
        ? action.kind().verb() + " " + BulkDesk.people(count()) + "?"
        : (isMessage() ? "Message to" : action.kind().verb())
            + " "
            + BulkDesk.people(action.all() - action.count(BulkTargetStatus.EXCLUDED));
  }

  /** Returns the words of the button that confirms it. */
  public String button() {
    return switch (action.kind()) {
      case PAUSE -> "Pause " + BulkDesk.people(count());
      case RESUME -> "Resume " + BulkDesk.people(count());
      case MESSAGE -> "Send to " + BulkDesk.people(count());
      case TAG -> "Tag " + BulkDesk.people(count());
      case UNTAG -> "Remove the tag from " + BulkDesk.people(count());
    };
  }

  /** Returns what will be done, in a sentence. */
  public String sentence() {
    return switch (action.kind()) {
      case PAUSE ->
          "They receive no messages from the coach until you resume them. If they text,"
              + " they are told once that they are paused.";
      case RESUME -> "They become active again, and their daily prompts are scheduled again.";
      case MESSAGE ->
          "Each participant gets the message from the number of the study, within their allowed"
              + " hours and after any replies that are waiting. Participants do not see your name;"
              + " staff see it beside the message. The coach can read it. It does not count as a"
              + " reply to their texts.";
      case TAG, UNTAG -> "Tags are for the team. The coach never sees them.";
    };
  }

  /** Returns why participants are left out, in a sentence, or empty. */
  public String leftOutSentence() {
    return leftOut.isEmpty() ? "" : leftOut.stream().collect(Collectors.joining(", ", "", "."));
  }

  /** Returns the progress or the result in a sentence. */
  public String progress() {
    var done = action.count(BulkTargetStatus.DONE);
    var excluded = action.count(BulkTargetStatus.EXCLUDED);
    var failed = action.count(BulkTargetStatus.FAILED);
    var undone = action.count(BulkTargetStatus.UNDONE);
    return (isMessage() ? "Planned for " : "Done for ")
        + done
        + " of "
        + action.all()
        + (excluded == 0 ? "" : "; " + excluded + " left out")
        + (undone == 0 ? "" : "; " + undone + " stopped")
        + (failed == 0 ? "" : "; " + failed + " failed")
        + ".";
  }

  /** Returns the words for the state that the action is in. */
  public String state() {
    return switch (action.status()) {
      case PREVIEWED, FORGOTTEN -> "Nothing has been done yet";
      case WAITING -> left > 0 ? "Not started" : "Running";
      case DONE -> "Done";
      case UNDONE -> action.count(BulkTargetStatus.DONE) == 0 ? "Undone" : "Stopped";
    };
  }

  /** Returns the address of this page. */
  public String address() {
    return "/bulk/" + action.id();
  }
}
