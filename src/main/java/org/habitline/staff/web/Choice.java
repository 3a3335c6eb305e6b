package org.habitline.staff.web;

/**
 * One option of a choice on a page.
 *
 * @param value what the form sends
 * @param words what people read
 */
public record Choice(String value, String words) {}
