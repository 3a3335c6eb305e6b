package org.habitline.study.coding;

/** Who coded an outcome. */
public enum Coder {
  MODEL,
  STAFF
}
