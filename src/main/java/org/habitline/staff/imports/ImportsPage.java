package org.habitline.staff.imports;

import java.util.List;
import org.habitline.staff.web.PageFrame;

/**
 * The page on which staff choose a list to import, with earlier imports.
 *
 * @param complaint why the file was refused, or empty
 * @param columns the columns that its first row may name
 * @param channels the names of the service's channels, the default first
 */
public record ImportsPage(
    PageFrame frame,
    String complaint,
    List<String> columns,
    List<String> channels,
    List<Earlier> earlier) {

  /** An earlier import. */
  public record Earlier(String id, String status, String by, int done, int rows, String at) {}
}
