// SPDX-License-Identifier: GPL-2.0
/* A dynamic program whose loader is named far from the head of the file. */
__attribute__((section(".before"))) const char late_padding[16384] = { 1 };

int main(void)
{
	return 0;
}
