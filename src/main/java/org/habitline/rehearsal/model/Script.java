package org.habitline.rehearsal.model;

/** The script of one module of the habit flow. The plan depends only on the scene. */
@FunctionalInterface
interface Script {
  Plan plan(Scene scene);
}
