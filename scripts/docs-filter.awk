# SPDX-License-Identifier: MIT
#
# docs-filter.awk - the plain comments of a header as doxygen reads them: the first paragraph is the
# summary, the rest (contract, tables, drawings) stays as it is written.

# An open verbatim part ends with its comment.
function end_of_comment()
{
    if (verbatim && index($0, "*/")) {
        sub(/ *\*\/.*/, "")
        if ($0 != "") {
            print
        }
        print indent " * @endverbatim */"
        verbatim = 0
        return 1
    }
    return 0
}

NR == 1 { # the licence line of the comment that is the file's page
    print "/** @file"
    in_comment = 1
    getline
    next
}
!in_comment && /^ *\/\*/ {
    match($0, /^ */)
    indent = substr($0, 1, RLENGTH)
    sub(/\/\*/, "/**")
    in_comment = !index($0, "*/")
    print
    next
}
!in_comment {
    sub(/\/\* /, "/**< ")
    in_comment = index($0, "/**<") && !index($0, "*/")
    print
    next
}
!verbatim && /^ *\* *$/ {
    print indent " * @verbatim"
    verbatim = 1
    next
}
end_of_comment() {
    in_comment = 0
    next
}
{
    in_comment = !index($0, "*/")
    print
}
