/* main.c - the program: hands the command line to its door. */
#include "door/cli.h"

int main(int argc, char **argv)
{
    return cv_cli_main(argc, argv);
}
