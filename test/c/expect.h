/* What the tests in C say: what was expected, where, and what came. */
#ifndef EXPECT_H
#define EXPECT_H

#include <ridge.h>

#include <stdio.h>
#include <string.h>

static int failures = 0;

/* The code that a call returns, and for a failure a part of its message. */
static void expect_code(int line, const char *text, int got, int right, const char *message) {
  if (got != right) {
    printf("line %d: %s gave %d, not %d: %s\n", line, text, got, right,
           got != RIDGE_OK ? ridge_last_error() : "no error");
    ++failures;
  } else if (right != RIDGE_OK && strstr(ridge_last_error(), message) == NULL) {
    printf("line %d: %s said '%s', which lacks '%s'\n", line, text, ridge_last_error(), message);
    ++failures;
  }
}
static void expect_true(int line, const char *text, int holds) {
  if (holds) return;
  printf("line %d: %s does not hold\n", line, text);
  ++failures;
}

#define OK(call) expect_code(__LINE__, #call, call, RIDGE_OK, "")
#define REFUSED(call, code, message) expect_code(__LINE__, #call, call, code, message)
#define TRUE(what) expect_true(__LINE__, #what, what)

#endif
