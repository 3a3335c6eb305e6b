package org.habitline.rehearsal.model;

/** How one module of the habit flow is played. Depends on nothing but the scene. */
@FunctionalInterface
interface Script {
  Plan plan(Scene scene);
}
