package org.habitline.staff.web;

/** What staff have to do, for the number beside Today in the frame of every page. */
@FunctionalInterface
public interface Attention {

  /**
   * Returns how many entries of Today need staff.
   *
   * @param most the number at which counting ends
   */
  int count(int most);
}
