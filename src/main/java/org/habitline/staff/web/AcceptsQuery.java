package org.habitline.staff.web;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names query parameters that a method reads from the request itself, besides those that it
 * declares; others are refused. A name that ends with {@code *} stands for all with that beginning.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface AcceptsQuery {
  String[] value();
}
