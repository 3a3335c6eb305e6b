package org.habitline.staff.imports;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * Where a list of people is chosen, with the lists before it.
 *
 * @param complaint why the file was not taken, or empty
 * @param columns what its first row may name
 * @param channels the words for the channels of this line, the usual one first
 */
public record ImportsPage(
    PageFrame frame,
    String complaint,
    List<String> columns,
    List<String> channels,
    List<Earlier> earlier) {

  /** A list that was taken before. */
  public record Earlier(String id, String status, String by, int done, int rows, String at) {}
}
