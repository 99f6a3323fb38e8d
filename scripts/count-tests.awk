# SPDX-License-Identifier: MIT
#
# count-tests.awk - test cases in a JUnit file of ctest, as "PASSED FAILED".
#
# One ctest test is a program of many cases. cmocka prints how many passed and failed, scripts may
# print `N passed, N failed`; what prints neither is one case. A skipped case did not hold: failed.
# A program that ends badly without a failed case (crash, time limit, not built) adds one.

# The first number in s.
function number(s)
{
    match(s, /[0-9]+/)
    return substr(s, RSTART, RLENGTH) + 0
}

/<testcase / {
    bad = !/ status="run"/
    good_cases = bad_cases = 0
}
match($0, /\[  PASSED  \] [0-9]+ test/) { good_cases += number(substr($0, RSTART)) }
match($0, /\[  (FAILED  |SKIPPED )\] [0-9]+ test/) { bad_cases += number(substr($0, RSTART)) }
match($0, /[0-9]+ passed, [0-9]+ failed/) {
    good_cases += number(substr($0, RSTART))
    bad_cases += number(substr($0, RSTART + index(substr($0, RSTART), ",")))
}
/<\/testcase>/ {
    if (bad && bad_cases == 0) {
        bad_cases = 1
    } else if (!bad && good_cases + bad_cases == 0) {
        good_cases = 1
    }
    passed += good_cases
    failed += bad_cases
}
END { print passed + 0, failed + 0 }
