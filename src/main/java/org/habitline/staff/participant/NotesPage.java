package org.habitline.staff.participant;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page of what staff note about a participant.
 *
 * @param name the participant
 * @param zone the time zone of all times on the page
 * @param older the address of the next page, or empty
 * @param refused the id of the note whose form was refused, {@link #NEW}, or empty
 * @param entered what was in that form
 * @param problem why it was refused, or empty
 * @param complaint a problem that no form is about, or empty
 */
public record NotesPage(
    PageFrame frame,
    String id,
    String name,
    String zone,
    List<Note> notes,
    String older,
    String refused,
    String entered,
    String problem,
    String complaint) {

  /** Stands for the form that adds a note. */
  public static final String NEW = "new";

  public NotesPage {
    notes = List.copyOf(notes);
  }

  /**
   * One note.
   *
   * @param edited when and by whom it was edited, or empty
   * @param mine whether the reader may edit and remove it
   */
  public record Note(
      String id, String text, String author, String at, String edited, boolean mine) {}
}
