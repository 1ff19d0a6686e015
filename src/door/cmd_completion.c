/* cmd_completion.c - conclave completion: the scripts with which shells complete command lines.
 *
 * The scripts know nothing: for every word they ask the program (`conclave completion words -- …`, complete.c), so they
 * fit whichever version is installed. What they do is shells' business: which words there are on the line, and how file
 * names are completed behind the part that stays.
 */
#include "door/cli.h"
#include "door/cli_parts.h"

/* Bash breaks words at "=", ":" and "@", too, and replaces only the last piece: the pieces are put together for the
 * question, and what is before the last one is taken off the answers. */
static const char bash[] =
    "# bash completion for conclave\n"
    "_conclave() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words=() word piece i reply keep prefix before IFS=$'\\n'\n"
    "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        piece=${line%%[![:space:]]*}\n"
    "        line=${line#\"$piece\"}\n"
    "        ((i < COMP_CWORD)) || word=$line\n"
    "        if ((i > 0)) && [[ -z $piece ]]; then words[${#words[@]}-1]+=$word; else words+=(\"$word\"); fi\n"
    "        line=${line#\"$word\"}\n"
    "    done\n"
    "    word=${words[${#words[@]}-1]}\n"
    "    before=${word%\"${word##*[=:@]}\"}\n"
    "    COMPREPLY=()\n"
    "    while read -r reply; do\n"
    "        case $reply in\n"
    "        :files\\ * | :folders\\ *)\n"
    "            keep=${reply#* } prefix=${keep#* } keep=${keep%% *}\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            [[ $reply == :files* ]] && i=-f || i=-d\n"
    "            for reply in $(compgen \"$i\" -- \"${word:keep}\"); do\n"
    "                reply=${word:0:keep}$prefix$reply\n"
    "                COMPREPLY+=(\"${reply#\"$before\"}\")\n"
    "            done ;;\n"
    "        *)\n"
    "            reply=${reply%%$'\\t'*}\n"
    "            COMPREPLY+=(\"${reply#\"$before\"}\") ;;\n"
    "        esac\n"
    "    done < <(\"${words[0]/#\\~/$HOME}\" completion words -- \"${words[@]:1}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _conclave conclave\n";

static const char zsh[] =
    "#compdef conclave\n"
    "# zsh completion for conclave\n"
    "_conclave() {\n"
    "    local -a described\n"
    "    local reply keep prefix\n"
    "    for reply in \"${(@f)$(\"${(Q)words[1]}\" completion words -- "
    "\"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" 2>/dev/null)}\"; do\n"
    "        case $reply in\n"
    "        :files\\ *|:folders\\ *)\n"
    "            keep=${reply#* } prefix=${keep#* } keep=${keep%% *}\n"
    "            (( keep )) && compset -p $keep\n"
    "            [[ $reply == :folders* ]] && _files -/ || _files -P \"$prefix\" ;;\n"
    "        ?*)\n"
    "            described+=(\"${${reply%%$'\\t'*}//:/\\\\:}:${reply#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( $#described )) && _describe conclave described\n"
    "}\n"
    "if [[ $funcstack[1] == _conclave ]]; then _conclave \"$@\"; else compdef _conclave conclave; fi\n";

static const char fish[] =
    "# fish completion for conclave\n"
    "function __conclave_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    for reply in ($words[1] completion words -- $words[2..-1] $current 2>/dev/null)\n"
    "        switch $reply\n"
    "            case ':files *' ':folders *'\n"
    "                set -l parts (string split -m 2 ' ' -- $reply)\n"
    "                set -l keep (string sub -l $parts[2] -- $current)\n"
    "                set -l rest (string sub -s (math $parts[2] + 1) -- $current)\n"
    "                for file in (test $parts[1] = :folders; and __fish_complete_directories $rest ''; or "
    "__fish_complete_path $rest)\n"
    "                    echo -- $keep$parts[3]$file\n"
    "                end\n"
    "            case '*'\n"
    "                echo -- $reply\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c conclave -f -a '(__conclave_complete)'\n";

static const struct {
    const char *shell, *script;
} scripts[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

static int run_completion(cv_cli *cli)
{
    cv_err err = {.arena = cli->arena};
    const char *wanted = cli->argument_count > 0 ? cli->arguments[0] : "";
    bool words = strcmp(wanted, "words") == 0;
    cv_buf out = cv_cli_stdout();
    if (words)
        cv_complete(&out, cli->arena, cli->arguments + 1, cli->argument_count - 1);
    for (size_t i = 0; !words && cli->argument_count == 1 && i < CV_COUNT(scripts); i++)
        if (strcmp(scripts[i].shell, wanted) == 0) {
            cv_buf_add_z(&out, scripts[i].script);
            words = true;
        }
    if (words)
        return cv_cli_finish(cli, &out, 0);
    cv_buf_release(&out);
    cv_str shells[CV_COUNT(scripts)];
    for (size_t i = 0; i < CV_COUNT(scripts); i++)
        shells[i] = cv_str_of(scripts[i].shell);
    cv_err_set(&err, CV_ERR_USAGE, *wanted ? "there is no script for the shell '%s'" : "which shell?%s", wanted);
    cv_err_options(&err, shells, CV_COUNT(shells));
    cv_err_suggest(&err, CV_STR("see 'conclave completion --help'"));
    cv_err_nearest(&err, cv_str_of(wanted), shells, CV_COUNT(shells));
    return cv_cli_fail(cli, &err);
}

const cv_cli_command cv_cmd_completion = {
    .name = "completion",
    .summary = "print the script that completes command lines in bash, zsh or fish",
    .arguments = "bash|zsh|fish",
    .details =
        "'make install' puts the scripts where the shells look for them. Commands, options, their values and what the\n"
        "record has (ids, names) are completed; files where one is expected, and after @. The scripts call\n"
        "'conclave completion words -- WORD...', which prints the possible values of the last word.\n",
    .examples = "  conclave completion bash > conclave.bash\n"
                "  conclave completion words -- ver\n",
    .run = run_completion,
};
