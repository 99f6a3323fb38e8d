/* SPDX-License-Identifier: MIT
 *
 * html.c - one page that needs nothing but itself.
 */
#include "html.h"

#include <stdint.h>
#include <string.h>

void tg_html_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

/* Tables scroll on narrow screens, pictures shrink. Colours are never the only sign: a bad figure
 * is bold. */
static const char style[] =
    ":root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--soft:#59636e;--line:#d4d9df;"
    "--shade:#f4f6f8;--good:#00664b;--warn:#8a5300;--bad:#a8380b;--link:#005ca8}\n"
    "@media(prefers-color-scheme:dark){:root{--fg:#e4e7eb;--bg:#16191d;--soft:#9aa4af;"
    "--line:#3a4048;--shade:#20242a;--good:#3fc79b;--warn:#e6b04d;--bad:#ff8f5c;--link:#7cc0ff}}\n"
    "body{margin:0 auto;max-width:64rem;padding:1.5rem 1rem 4rem;background:var(--bg);"
    "color:var(--fg);font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0}\n"
    "h2{font-size:1.4rem;margin:3rem 0 .8rem;padding-top:1rem;border-top:1px solid var(--line)}\n"
    "h3{font-size:1.1rem;margin:2rem 0 .5rem}\n"
    "p,li{max-width:46rem}\n"
    "a{color:var(--link)}\n"
    "nav ul{columns:2;max-width:46rem}\n"
    ".soft,small,figcaption{color:var(--soft)}\n"
    ".wide{overflow-x:auto;margin:.8rem 0}\n"
    "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.2rem .7rem;text-align:left;vertical-align:bottom;white-space:pre}\n"
    "td{vertical-align:top}\n"
    "th{border-bottom:2px solid var(--line)}\n"
    "tr.rule td{border-top:1px solid var(--line)}\n"
    "tbody tr:hover{background:var(--shade)}\n"
    ".r{text-align:right}\n"
    ".strong{font-weight:600}.faint{color:var(--soft)}\n"
    ".good{color:var(--good);font-weight:600}\n"
    ".warn{color:var(--warn);font-weight:600}\n"
    ".bad{color:var(--bad);font-weight:700}\n"
    "figure{margin:1.2rem 0 2rem}\n"
    "figure img{max-width:100%;height:auto;display:block}\n"
    "figcaption{max-width:46rem;font-size:.9rem;margin-top:.4rem}\n"
    "pre{background:var(--shade);padding:.8rem 1rem;overflow-x:auto;font-size:.85rem;"
    "line-height:1.4}\n"
    "summary{cursor:pointer}\n"
    "@media print{h2{break-before:page}figure,table{break-inside:avoid}}\n";

void tg_html_start(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          out);
    tg_html_text(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

void tg_html_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}

static void base64(FILE *out, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *const s = (const unsigned char *)text;
    const size_t n = strlen(text);

    for (size_t i = 0u; i < n; i += 3u) {
        const uint32_t second = i + 1u < n ? s[i + 1u] : 0u;
        const uint32_t third = i + 2u < n ? s[i + 2u] : 0u;
        const uint32_t bits = (uint32_t)s[i] << 16 | second << 8 | third;

        fputc(digits[bits >> 18], out);
        fputc(digits[bits >> 12 & 63u], out);
        fputc(i + 1u < n ? digits[bits >> 6 & 63u] : '=', out);
        fputc(i + 2u < n ? digits[bits & 63u] : '=', out);
    }
}

/* As images, not as elements of the page: gnuplot gives the same ids in every picture. */
void tg_html_picture(FILE *out, const char *light_svg, const char *dark_svg, const char *alt)
{
    fputs("<picture><source media=\"screen and (prefers-color-scheme: dark)\" "
          "srcset=\"data:image/svg+xml;base64,",
          out);
    base64(out, dark_svg);
    fputs("\"><img alt=\"", out);
    tg_html_text(out, alt);
    fputs("\" src=\"data:image/svg+xml;base64,", out);
    base64(out, light_svg);
    fputs("\"></picture>\n", out);
}
